import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { agentsQuery } from "../../service/AgentQueries.ts"

export const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  loader: ({ context }) => void context.cache.prefetchQuery(agentsQuery),
  component: lazyRouteComponent(() => import("./AgentsScreen.tsx"))
})
