import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { TaskId } from "@troupe/domain/Ids"
import { MessageView } from "@troupe/domain/Message"
import { Task } from "@troupe/domain/Task"
import { TaskCounts } from "@troupe/domain/TaskCounts"
import { UserUsage } from "@troupe/domain/Usage"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, flag, pathParameter, titled, userId } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"
import { TaskFilter, TaskQuery } from "./TaskFilter.ts"
import {
  Accepted,
  CancelRequest,
  ChatRequest,
  HumanResponse,
  idempotencyKey,
  MessageRequest,
  UsageQuery
} from "./TaskRequests.ts"
import { WorkerHealthReport, WorkerStatus } from "./Worker.ts"

const taskId = pathParameter("task_id", "Task id")

const chat = HttpApiEndpoint.post("chat", "/chat")
  .setHeaders(Schema.Struct({ "idempotency-key": Schema.optional(idempotencyKey) }))
  .setPayload(checkedWhole(ChatRequest))
  .addSuccess(Accepted)
  .addError(Problems.taskRequestInvalid)
  .addError(Problems.idempotencyConflict)
  .annotateContext(described("Creates a task from a user's request"))

const events = HttpApiEndpoint.get("events")`/task/${taskId}/events`
  .setHeaders(Schema.Struct({
    "last-event-id": Schema.optional(Schema.String.annotations({ description: "Resume after this event" }))
  }))
  .setUrlParams(checkedWhole(Schema.Struct({
    last_event_id: Schema.optional(
      Schema.String.annotations({ description: "The same, for clients that can't set headers" })
    )
  })))
  .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
  .addError(Problems.taskNotFound)
  .annotateContext(described(
    "Server-sent events: log, status, text, usage; ends after the terminal status. Whoever may not read the task's content "
      + "gets no text, and logs without data"
  ))

const anyEventId = Schema.String.pipe(Schema.pattern(/^\d{1,19}(\.[0-9a-f-]{36}\.\d{1,9}\.\d{1,9})?$/)).annotations({
  description: "Resume after this event",
  message: () => "the id of an event of this stream"
})

const allEvents = HttpApiEndpoint.get("allEvents", "/events")
  .setHeaders(Schema.Struct({ "last-event-id": Schema.optional(anyEventId) }))
  .setUrlParams(checkedWhole(Schema.Struct({ last_event_id: Schema.optional(anyEventId) })))
  .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
  .annotateContext(described(
    "Server-sent events of all tasks: `log`, `status`, `archived`, `restored` and `deleted`, each with its `task_id`, after Last-Event-ID or "
      + "from now on; the first one, `position`, says where. The stream has no end. Logs have no data where the caller may not read the "
      + "task's content"
  ))

/** Creating, watching, answering, cancelling, retrying and deleting tasks. */
export class TasksApi extends HttpApiGroup.make("tasks")
  .add(
    HttpApiEndpoint.get("list", "/tasks")
      .setUrlParams(checkedWhole(TaskQuery))
      .addSuccess(Schema.Array(Task))
      .addError(Problems.personUnknown)
      .addError(Problems.searchUnfinished)
      .annotateContext(
        described(
          "Tasks, newest first, without logs, outputs and webhook data; pages of long texts are shorter. Where few of many tasks "
            + "match, a page ends after a part of them: it may be short or empty and still have a next one. In hosted mode, a "
            + "member sees of the tasks of others what GET /task/{task_id} shows of them"
        )
      )
  )
  .add(
    HttpApiEndpoint.get("counts", "/tasks/counts")
      .setUrlParams(checkedWhole(TaskFilter))
      .addSuccess(TaskCounts)
      .addError(Problems.personUnknown)
      .addError(Problems.searchUnfinished)
      .annotateContext(
        described(
          "How many tasks of a list have each status, up to 1,000 each; `capped` has the statuses of which there may be more"
        )
      )
  )
  .add(
    HttpApiEndpoint.get("find")`/task/${taskId}`
      .setUrlParams(checkedWhole(Schema.Struct({
        logs: flag("false: without the log lines, of which a long task has many")
      })))
      .addSuccess(Task)
      .addError(Problems.taskNotFound)
      .annotateContext(described(
        "One task with its logs and outputs. In hosted mode, only its creator, its assignee, the owner and admins see its "
          + "content; to other members `description`, `question`, `plan`, `error`, `attachments`, webhook data and the data "
          + "of logs are empty"
      ))
  )
  .add(
    HttpApiEndpoint.get("subtasks")`/task/${taskId}/subtasks`
      .setUrlParams(checkedWhole(Schema.Struct(page(TaskId))))
      .addSuccess(Schema.Array(Task))
      .addError(Problems.taskNotFound)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("The subtasks that the task dispatched, newest first, as GET /tasks shows them"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/task/${taskId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.taskNotFound)
      .annotateContext(described("Archives the task; a second call deletes it"))
  )
  .add(
    HttpApiEndpoint.get("workerStatus")`/task/${taskId}/worker-status`
      .addSuccess(WorkerStatus)
      .addError(Problems.taskNotFound)
      .annotateContext(described("Which worker runs the task, and when it is due"))
  )
  .add(chat)
  .add(
    HttpApiEndpoint.post("humanResponse", "/human_response")
      .setPayload(checkedWhole(HumanResponse))
      .addSuccess(Accepted)
      .addError(Problems.personUnknown)
      .addError(Problems.taskRequestInvalid)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described("Answers the question of a task that waits for input"))
  )
  .add(
    HttpApiEndpoint.post("cancel")`/task/${taskId}/cancel`
      .setPayload(checkedWhole(CancelRequest))
      .addSuccess(Accepted)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described("Stops the task and its subtasks"))
  )
  .add(
    HttpApiEndpoint.post("restore")`/task/${taskId}/restore`
      .addSuccess(Task)
      .addError(Problems.taskNotFound)
      .annotateContext(
        described("Puts an archived task back into the lists; a task that is not archived stays as it is")
      )
  )
  .add(
    HttpApiEndpoint.post("retry")`/task/${taskId}/retry`
      .addSuccess(Accepted)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described("Continues a failed task from its last saved step"))
  )
  .add(
    HttpApiEndpoint.post("message")`/task/${taskId}/message`
      .setHeaders(Schema.Struct({ "idempotency-key": Schema.optional(idempotencyKey) }))
      .setPayload(checkedWhole(MessageRequest))
      .addSuccess(Accepted)
      .addError(Problems.idempotencyConflict)
      .addError(Problems.personUnknown)
      .addError(Problems.taskRequestInvalid)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .annotateContext(described(
        "Sends the agent a message for its next model call. It answers the question of a task that waits for input, "
          + "and continues a finished task by a new one, whose id is in the response"
      ))
  )
  .add(events)
  .add(allEvents)
  .add(
    HttpApiEndpoint.get("messages")`/task/${taskId}/messages`
      .setUrlParams(checkedWhole(Schema.Struct({
        full: flag("true: with the older messages that are sent only as a summary")
      })))
      .addSuccess(Schema.Array(MessageView))
      .addError(Problems.taskNotFound)
      .annotateContext(described(
        "The messages that the next model call gets; with full=true, all messages. In hosted mode, only the task's creator, "
          + "its assignee, the owner and admins may read them; 403 for other members"
      ))
  )
  .add(
    HttpApiEndpoint.get("usage")`/users/${userId}/usage`
      .setUrlParams(checkedWhole(UsageQuery))
      .addSuccess(UserUsage)
      .addError(Problems.userNotFound)
      .addError(Problems.searchUnfinished)
      .annotateContext(
        described("What the tasks and subtasks of the user used, in total and by day: tokens, calls and cost")
      )
  )
  .add(
    HttpApiEndpoint.get("workerHealth", "/worker/health")
      .addSuccess(WorkerHealthReport)
      .addError(Problems.searchUnfinished)
      .annotateContext(described("The workers, the due tasks and the scheduled jobs"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Tasks", "Creating, watching, answering, cancelling, retrying and deleting tasks."))
{}
