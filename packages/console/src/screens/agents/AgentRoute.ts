import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { agentQuery } from "../../service/AgentQueries.ts"

export const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$agentName",
  loader: ({ context, params }) => void context.cache.prefetchQuery(agentQuery(params.agentName)),
  component: lazyRouteComponent(() => import("./AgentScreen.tsx"))
})
