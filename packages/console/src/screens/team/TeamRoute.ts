import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined } from "../../service/SearchParams.ts"

export const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/team",
  /** `invite`: the form for an invitation is open. */
  validateSearch: (search) => defined({ invite: search["invite"] === true ? true : undefined }),
  component: lazyRouteComponent(() => import("./TeamScreen.tsx"))
})
