import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext } from "@tanstack/react-router"
import { NotFound, ScreenError } from "./ScreenError.tsx"
import { Shell } from "./Shell.tsx"

/** The parent of every screen's route. */
export const rootRoute = createRootRouteWithContext<{ readonly cache: QueryClient }>()({
  component: Shell,
  errorComponent: ScreenError,
  notFoundComponent: NotFound
})
