import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { memoriesQuery } from "../../service/MemoryQueries.ts"
import { defined, textParam } from "../../service/SearchParams.ts"

export const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/memory",
  validateSearch: (search) => defined({ q: textParam(search["q"]) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.cache.prefetchInfiniteQuery(memoriesQuery(deps.q ?? "")),
  component: lazyRouteComponent(() => import("./MemoryScreen.tsx"))
})
