import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { minTokenBudget } from "@troupe/domain/Limits"
import { MessageView } from "@troupe/domain/Message"
import { Task, TaskStatus, TaskType } from "@troupe/domain/Task"
import { Schema } from "effect"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"
import { text } from "./Text.ts"
import { WorkerHealthReport, WorkerStatus } from "./Worker.ts"

const described = (description: string) => OpenApi.annotations({ description })

/** Any string: an id of another form is as unknown as one that never was, and answers 404, not 400. */
const taskId = HttpApiSchema.param("task_id", Schema.String.annotations({ description: "Task id" }))

const maxMessage = 100_000

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true, exact: true })

export const ChatRequest = Schema.Struct({
  message: text(maxMessage, "What the agent shall do"),
  user_id: optional(UserId.annotations({ description: "Whose task it is; default: the caller, or `default`" })),
  assignee: optional(UserId.annotations({
    description: "Who answers for the task: its questions go to this user; default: to `user_id`"
  })),
  title: optional(text(500, "Title; default: taken from the message")),
  project_id: optional(text(255, "Channel or project")),
  attachments: optional(
    Schema.Array(text(255, "Name of a file")).pipe(Schema.maxItems(100, { message: () => "at most 100 names" }))
      .annotations({ description: "Names of files that the user uploaded before" })
  ),
  continue_task_id: optional(
    TaskId.annotations({ description: "A task that this one follows up; it sees its outcome" })
  ),
  max_tokens_total: optional(
    Schema.Int.pipe(Schema.between(minTokenBudget, 2_147_483_647)).annotations({
      description: `Token budget of the task and its subtasks, at least ${minTokenBudget}; default: none`,
      message: () => `a whole number from ${minTokenBudget} to 2147483647`
    })
  )
}).annotations({ identifier: "ChatRequest" })
export type ChatRequest = typeof ChatRequest.Type

export const HumanResponse = Schema.Struct({
  task_id: text(255, "The task that waits for input"),
  response: text(maxMessage, "The answer to its question"),
  user_id: optional(UserId.annotations({
    description: "Who answers, and from now on answers for a task without an assignee"
  }))
}).annotations({ identifier: "HumanResponse" })

export const CancelRequest = Schema.Struct({
  reason: optional(
    Schema.String.pipe(Schema.maxLength(1000)).annotations({ description: "Why; shown in the task's error" })
  )
}).annotations({ identifier: "CancelRequest" })

/** Taken: what was asked for is committed and will happen. */
export const Accepted = Schema.Struct({
  task_id: TaskId,
  status: TaskStatus,
  task: Task
}).annotations({ identifier: "Accepted", ...HttpApiSchema.annotations({ status: 202 }) })

export const TaskQuery = Schema.Struct({
  status: Schema.optional(TaskStatus.annotations({ description: "Only tasks with this status" })),
  creator: Schema.optional(UserId.annotations({ description: "Only tasks of this user" })),
  assignee: Schema.optional(UserId.annotations({ description: "Only tasks assigned to this user" })),
  webhook_type: Schema.optional(Schema.String.annotations({ description: "Only tasks made by this type of webhook" })),
  task_type: Schema.optional(TaskType.annotations({ description: "Subtasks are listed only when asked for" })),
  parent_task_id: Schema.optional(TaskId.annotations({ description: "Only subtasks of this task" })),
  q: Schema.optional(Schema.String.annotations({ description: "Words in the title or the description" })),
  include_archived: Schema.optional(
    Schema.BooleanFromString.annotations({ description: "Archived tasks too", message: () => "true or false" })
  ),
  ...page(TaskId)
})
export type TaskQuery = typeof TaskQuery.Type

const chat = HttpApiEndpoint.post("chat", "/chat")
  .setHeaders(Schema.Struct({
    "idempotency-key": Schema.optional(
      Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
        description: "The same key and body within 24 hours get the first answer again",
        message: () => "1 to 255 characters"
      })
    )
  }))
  .setPayload(ChatRequest)
  .addSuccess(Accepted)
  .addError(Problems.taskRequestInvalid)
  .addError(Problems.idempotencyConflict)
  .annotateContext(described("Makes a task from what a user wants and hands it to the workers"))

const events = HttpApiEndpoint.get("events")`/task/${taskId}/events`
  .setHeaders(Schema.Struct({
    "last-event-id": Schema.optional(Schema.String.annotations({ description: "Resume behind this event" }))
  }))
  .setUrlParams(Schema.Struct({
    last_event_id: Schema.optional(Schema.String.annotations({ description: "The same, where headers can't be set" }))
  }))
  .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
  .addError(Problems.taskNotFound)
  .annotateContext(described("Server-sent events: log, status, text, usage; ends after the terminal status"))

/** Tasks: made, watched, answered, cancelled, retried, removed. */
export class TasksApi extends HttpApiGroup.make("tasks")
  .add(
    HttpApiEndpoint.get("list", "/tasks")
      .setUrlParams(TaskQuery)
      .addSuccess(Schema.Array(Task))
      .addError(Problems.searchUnfinished)
      .annotateContext(described("Tasks, newest first, without logs, outputs and webhook data"))
  )
  .add(
    HttpApiEndpoint.get("find")`/task/${taskId}`
      .addSuccess(Task)
      .addError(Problems.taskNotFound)
      .annotateContext(described("One task with its logs and outputs"))
  )
  .add(
    HttpApiEndpoint.get("subtasks")`/task/${taskId}/subtasks`
      .setUrlParams(Schema.Struct(page(TaskId)))
      .addSuccess(Schema.Array(Task))
      .addError(Problems.taskNotFound)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("The subtasks that the task dispatched, newest first, as GET /tasks shows them"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/task/${taskId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.taskNotFound)
      .annotateContext(described("Archives the task; called again, removes it for good"))
  )
  .add(
    HttpApiEndpoint.get("workerStatus")`/task/${taskId}/worker-status`
      .addSuccess(WorkerStatus)
      .addError(Problems.taskNotFound)
      .annotateContext(described("Where the task stands in the hands of the workers"))
  )
  .add(chat)
  .add(
    HttpApiEndpoint.post("humanResponse", "/human_response")
      .setPayload(HumanResponse)
      .addSuccess(Accepted)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described("Answers the question of a task that waits for input"))
  )
  .add(
    HttpApiEndpoint.post("cancel")`/task/${taskId}/cancel`
      .setPayload(CancelRequest)
      .addSuccess(Accepted)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described("Stops the task and its subtasks"))
  )
  .add(
    HttpApiEndpoint.post("retry")`/task/${taskId}/retry`
      .addSuccess(Accepted)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described("Continues a failed task from its last saved step"))
  )
  .add(events)
  .add(
    HttpApiEndpoint.get("messages")`/task/${taskId}/messages`
      .setUrlParams(Schema.Struct({
        full: Schema.optional(
          Schema.BooleanFromString.annotations({
            description: "true: the older messages too, in whose place the model sees a summary",
            message: () => "true or false"
          })
        )
      }))
      .addSuccess(Schema.Array(MessageView))
      .addError(Problems.taskNotFound)
      .annotateContext(described("The conversation as the model sees it, or all of it"))
  )
  .add(
    HttpApiEndpoint.get("workerHealth", "/worker/health")
      .addSuccess(WorkerHealthReport)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("Whether workers run, and what waits for them"))
  )
  .annotateContext(OpenApi.annotations({ title: "Tasks" }))
{}
