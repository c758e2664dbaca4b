import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { tasksQuery } from "../../service/TaskQueries.ts"
import { filterIn, shownIn } from "./TaskSearch.ts"

export const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks",
  validateSearch: filterIn,
  loaderDeps: ({ search }) => shownIn(search),
  loader: ({ context, deps }) => void context.cache.prefetchInfiniteQuery(tasksQuery(deps)),
  component: lazyRouteComponent(() => import("./TasksScreen.tsx"))
})
