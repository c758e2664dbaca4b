import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, numberParam, textParam } from "../../service/SearchParams.ts"
import { stepsQuery } from "../../service/StepQueries.ts"
import { taskQuery } from "../../service/TaskQueries.ts"

export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks/$taskId",
  /** `step`: the number of the step that is inspected; `of`: the subtask that it is a step of. */
  validateSearch: (search) => defined({ step: numberParam(search["step"]), of: textParam(search["of"]) }),
  loader: ({ context, params }) => {
    void context.cache.prefetchQuery(taskQuery(params.taskId))
    void context.cache.prefetchInfiniteQuery(stepsQuery(params.taskId))
  },
  component: lazyRouteComponent(() => import("./TaskScreen.tsx"))
})
