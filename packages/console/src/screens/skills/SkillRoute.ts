import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { requirementsQuery, skillQuery } from "../../service/SkillQueries.ts"

export const skillRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/skills/$skillName",
  loader: ({ context, params }) => {
    void context.cache.prefetchQuery(skillQuery(params.skillName))
    void context.cache.prefetchQuery(requirementsQuery)
  },
  component: lazyRouteComponent(() => import("./SkillScreen.tsx"))
})
