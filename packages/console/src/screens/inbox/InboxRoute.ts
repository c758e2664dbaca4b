import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/RootRoute.ts"
import { inboxQuery } from "../../service/InboxQueries.ts"

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  loader: ({ context }) => void context.cache.prefetchQuery(inboxQuery),
  component: lazyRouteComponent(() => import("./InboxScreen.tsx"))
})
