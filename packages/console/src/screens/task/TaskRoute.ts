import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../parts/RootRoute.ts"
import { defined, numberParam, oneOf, textParam } from "../../service/SearchParams.ts"
import { stepsQuery } from "../../service/StepQueries.ts"
import { taskQuery } from "../../service/TaskQueries.ts"

const view = oneOf(["steps"])

export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks/$taskId",
  /**
   * `message`: the step that the conversation is scrolled to. `step`: the step that is inspected among the others; `of`: the
   * subtask that it is a step of.
   */
  validateSearch: (search) =>
    defined({
      view: view(search["view"]),
      message: numberParam(search["message"]),
      step: numberParam(search["step"]),
      of: textParam(search["of"])
    }),
  loader: ({ context, params }) => {
    void context.cache.prefetchQuery(taskQuery(params.taskId))
    void context.cache.prefetchInfiniteQuery(stepsQuery(params.taskId))
  },
  component: lazyRouteComponent(() => import("./TaskScreen.tsx"))
})
