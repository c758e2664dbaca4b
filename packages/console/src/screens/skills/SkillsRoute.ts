import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, textParam } from "../../service/SearchParams.ts"
import { requirementsQuery, skillsQuery } from "../../service/SkillQueries.ts"

export const skillsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/skills",
  /** A request whose scores are shown. */
  validateSearch: (search) => defined({ query: textParam(search["query"]) }),
  loader: ({ context }) => {
    void context.cache.prefetchQuery(skillsQuery)
    void context.cache.prefetchQuery(requirementsQuery)
  },
  component: lazyRouteComponent(() => import("./SkillsScreen.tsx"))
})
