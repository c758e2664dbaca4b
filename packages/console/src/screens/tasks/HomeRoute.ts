import { createRoute, redirect } from "@tanstack/react-router"
import { rootRoute } from "../../app/RootRoute.ts"

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/tasks", replace: true })
  }
})
