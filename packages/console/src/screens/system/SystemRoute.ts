import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, oneOf } from "../../service/SearchParams.ts"
import { healthQuery, workersQuery } from "../../service/SystemQueries.ts"

export const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/system",
  validateSearch: (search) => defined({ period: oneOf(["day", "week", "month"])(search["period"]) }),
  loader: ({ context }) => {
    void context.cache.prefetchQuery(healthQuery)
    void context.cache.prefetchQuery(workersQuery)
  },
  component: lazyRouteComponent(() => import("./SystemScreen.tsx"))
})
