import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { modelsQuery } from "../../service/ModelQueries.ts"
import { defined } from "../../service/SearchParams.ts"

export const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/models",
  /** `connect`: the form for a new model is open. */
  validateSearch: (search) => defined({ connect: search["connect"] === true ? true : undefined }),
  loader: ({ context }) => void context.cache.prefetchQuery(modelsQuery),
  component: lazyRouteComponent(() => import("./ModelsScreen.tsx"))
})
