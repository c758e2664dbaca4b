import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/RootRoute.ts"
import { toolServersQuery } from "../../service/ToolServerQueries.ts"

export const toolServersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tool-servers",
  loader: ({ context }) => void context.cache.prefetchQuery(toolServersQuery),
  component: lazyRouteComponent(() => import("./ToolServersScreen.tsx"))
})
