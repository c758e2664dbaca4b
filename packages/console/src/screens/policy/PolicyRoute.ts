import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { policyQuery } from "../../service/PolicyQueries.ts"
import { defined, oneOf } from "../../service/SearchParams.ts"

export const policyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/policy",
  /** `view`: the tab; the rules' without it. */
  validateSearch: (search) => defined({ view: oneOf(["classes", "history"])(search["view"]) }),
  loader: ({ context }) => void context.cache.prefetchQuery(policyQuery),
  component: lazyRouteComponent(() => import("./PolicyScreen.tsx"))
})
