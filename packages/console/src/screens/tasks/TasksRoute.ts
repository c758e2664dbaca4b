import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { rootRoute } from "../../app/RootRoute.ts"
import { defined, flagParam, oneOf, textParam } from "../../service/SearchParams.ts"
import { tasksQuery } from "../../service/TaskQueries.ts"

const status = oneOf(["pending", "running", "completed", "failed", "waiting_input", "waiting_subagents"])
const source = oneOf(["chat", "email", "schedule", "webhook", "api"])
const taskType = oneOf(["task", "subtask"])

export const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks",
  validateSearch: (search) =>
    defined({
      status: status(search["status"]),
      q: textParam(search["q"]),
      creator: textParam(search["creator"]),
      assignee: textParam(search["assignee"]),
      project_id: textParam(search["project_id"]),
      source: source(search["source"]),
      created_from: textParam(search["created_from"]),
      created_before: textParam(search["created_before"]),
      webhook_type: textParam(search["webhook_type"]),
      task_type: taskType(search["task_type"]),
      include_archived: flagParam(search["include_archived"])
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.cache.prefetchInfiniteQuery(tasksQuery(deps)),
  component: lazyRouteComponent(() => import("./TasksScreen.tsx"))
})
