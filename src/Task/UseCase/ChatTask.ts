import { CurrentUser } from "@troupe/api/Authentication"
import type { ChatRequest } from "@troupe/api/TaskRequests"
import type { NotAllowed } from "@troupe/domain/Caller"
import { TaskRequestInvalid } from "@troupe/domain/Task"
import { Effect, Option } from "effect"
import { actingFor, personAt } from "../../People/User/Access.ts"
import type { Users } from "../../People/User/Users.ts"
import { idempotencyOf, type TaskRequest, type Tasks } from "./Tasks.ts"

/** The request of `POST /chat` as its caller's, or in the name of another user where the caller may. */
export const chatTask = (
  { tasks, users }: { readonly tasks: Tasks["Type"]; readonly users: Users["Type"] },
  payload: ChatRequest,
  key: string | undefined
): Effect.Effect<TaskRequest, NotAllowed, CurrentUser> =>
  Effect.gen(function*() {
    const caller = yield* CurrentUser
    const { continue_from, ...options } = payload
    const request = { ...options, idempotency: idempotencyOf(caller, key, payload) }
    const found = yield* Effect.all({
      user_id: actingFor(users, payload.user_id),
      assignee: Effect.transposeMapOption(
        Option.fromNullable(payload.assignee),
        (assignee) => personAt(users, "assignee", assignee)
      )
    }).pipe(
      Effect.map(({ assignee, user_id }): TaskRequest => ({
        ...request,
        user_id,
        assignee: Option.getOrNull(assignee)
      })),
      Effect.catchTag("PersonUnknown", ({ path, reason }) =>
        Effect.succeed({
          ...request,
          user_id: caller.id,
          assignee: null,
          refused: new TaskRequestInvalid({ path, reason })
        }))
    )
    const largestIterations = tasks.largestIterations()
    if ((payload.max_iterations ?? 0) > largestIterations) {
      const reason = `at most ${largestIterations} (AGENT_MAX_ITERATIONS)`
      return { ...found, refused: new TaskRequestInvalid({ path: "max_iterations", reason }) }
    }
    return continue_from === "conversation" ? yield* withConversation(tasks, found) : found
  })

/** What is wrong with it is said by `submit`, which repeats the answer to a repeated request. */
const withConversation = (
  tasks: Tasks["Type"],
  request: TaskRequest
): Effect.Effect<TaskRequest, NotAllowed> => {
  const { continue_task_id } = request
  if (typeof continue_task_id !== "string") {
    const reason = "conversation needs continue_task_id, the task whose conversation goes on"
    return Effect.succeed({ ...request, refused: new TaskRequestInvalid({ path: "continue_from", reason }) })
  }
  return tasks.conversationOf(continue_task_id, request.user_id).pipe(
    Effect.map((conversation) => ({ ...request, conversation })),
    Effect.catchTag("TaskNotFound", () => Effect.succeed(request))
  )
}
