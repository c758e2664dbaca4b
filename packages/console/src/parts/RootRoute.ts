import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext } from "@tanstack/react-router"

/** The parent of every screen's route. `app/Router.ts` says what surrounds the screens. */
export const rootRoute = createRootRouteWithContext<{ readonly cache: QueryClient }>()()
