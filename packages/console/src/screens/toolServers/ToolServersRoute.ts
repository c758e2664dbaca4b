import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, textParam } from "../../service/SearchParams.ts"
import { toolServersQuery } from "../../service/ToolServerQueries.ts"

export const toolServersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tool-servers",
  /** `server`: the one whose tools are shown. */
  validateSearch: (search) => defined({ server: textParam(search["server"]) }),
  loader: ({ context }) => void context.cache.prefetchQuery(toolServersQuery),
  component: lazyRouteComponent(() => import("./ToolServersScreen.tsx"))
})
