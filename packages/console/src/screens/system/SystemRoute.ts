import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/RootRoute.ts"
import { healthQuery, workersQuery } from "../../service/SystemQueries.ts"

export const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/system",
  loader: ({ context }) => {
    void context.cache.prefetchQuery(healthQuery)
    void context.cache.prefetchQuery(workersQuery)
  },
  component: lazyRouteComponent(() => import("./SystemScreen.tsx"))
})
