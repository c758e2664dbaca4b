import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"

export const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/team",
  component: lazyRouteComponent(() => import("./TeamScreen.tsx"))
})
