import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { filesQuery } from "../../service/FileQueries.ts"
import { defined, textParam } from "../../service/SearchParams.ts"

export const filesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/files",
  /** The file that is shown. */
  validateSearch: (search) => defined({ file: textParam(search["file"]) }),
  loader: ({ context }) => void context.cache.prefetchInfiniteQuery(filesQuery),
  component: lazyRouteComponent(() => import("./FilesScreen.tsx"))
})
