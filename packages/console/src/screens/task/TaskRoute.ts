import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/RootRoute.ts"
import { taskQuery } from "../../service/TaskQueries.ts"

export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks/$taskId",
  loader: ({ context, params }) => void context.cache.prefetchQuery(taskQuery(params.taskId)),
  component: lazyRouteComponent(() => import("./TaskScreen.tsx"))
})
