import * as Rpc from "@effect/rpc/Rpc"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcMiddleware from "@effect/rpc/RpcMiddleware"
import { NotAllowed, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { Notification, NotificationNotFound } from "@troupe/domain/Notification"
import { SearchUnfinished } from "@troupe/domain/Search"
import { IdempotencyConflict, Task, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { PersonUnknown, UserNotFound } from "@troupe/domain/User"
import { Schema } from "effect"
import { CurrentUser } from "./Authentication.ts"
import { person } from "./Fields.ts"
import { pageOf } from "./Listing.ts"
import { NotificationQuery } from "./NotificationsApi.ts"
import { ProblemError } from "./Problem.ts"
import { TaskEvent } from "./TaskEvent.ts"
import { TaskQuery } from "./TaskFilter.ts"
import { CancelRequest, ChatRequest, HumanResponse, idempotencyKey, MessageRequest } from "./TaskRequests.ts"

/**
 * What every call of a procedure passes on the server: authentication as over HTTP, and limits. What no procedure
 * declares fails with the problem that HTTP would answer.
 */
export class RpcGate extends RpcMiddleware.Tag<RpcGate>()("@troupe/api/RpcGate", {
  wrap: true,
  provides: CurrentUser,
  failure: Schema.Union(ProblemError, Unauthenticated, NotAllowed, SignInUnavailable)
}) {}

/** Any string: an id of another form fails like an unknown id. */
const task_id = Schema.String.annotations({ description: "Task id" })

const changed = { success: Task, error: Schema.Union(NotAllowed, TaskNotFound, TaskStateConflict) }
const said = {
  success: Task,
  error: Schema.Union(NotAllowed, PersonUnknown, TaskNotFound, TaskRequestInvalid, TaskStateConflict)
}

/** The use-cases of tasks as remote procedures: the schemas, limits and errors are those of `TasksApi`. */
export class TasksRpc extends RpcGroup.make(
  Rpc.make("submit", {
    payload: { ...ChatRequest.fields, idempotency_key: Schema.optional(idempotencyKey) },
    success: Task,
    error: Schema.Union(NotAllowed, IdempotencyConflict, TaskRequestInvalid)
  }),
  Rpc.make("get", { payload: { task_id }, success: Task, error: TaskNotFound }),
  Rpc.make("list", {
    payload: Schema.typeSchema(TaskQuery),
    success: pageOf(Task),
    error: Schema.Union(PersonUnknown, SearchUnfinished)
  }),
  Rpc.make("watch", {
    payload: {
      task_id,
      after: Schema.optional(Schema.String.annotations({ description: "Resume after the event of this id" }))
    },
    success: TaskEvent,
    error: TaskNotFound,
    stream: true
  }),
  Rpc.make("answer", { payload: HumanResponse, ...said }),
  Rpc.make("message", { payload: { task_id, ...MessageRequest.fields }, ...said }),
  Rpc.make("cancel", { payload: { task_id, ...CancelRequest.fields }, ...changed }),
  Rpc.make("retry", { payload: { task_id }, ...changed })
).middleware(RpcGate) {}

const user_id = Schema.optional(person("Whose feed; default: the caller's"))

/** The feed of a user as remote procedures, with the schemas of `NotificationsApi`. */
export class NotificationsRpc extends RpcGroup.make(
  Rpc.make("notifications", {
    payload: Schema.extend(Schema.Struct({ user_id }), Schema.typeSchema(NotificationQuery)),
    success: pageOf(Notification),
    error: Schema.Union(NotAllowed, PersonUnknown, UserNotFound)
  }),
  Rpc.make("markNotificationRead", {
    payload: { user_id, notification_id: Schema.String.annotations({ description: "Notification id" }) },
    success: Notification,
    error: Schema.Union(NotAllowed, NotificationNotFound, PersonUnknown)
  })
).middleware(RpcGate) {}

/** Where the procedures are served: POST with a body of JSON lines. */
export const rpcPath = "/rpc"

/** All remote procedures: server and client derive from this group. Its names are a wire format. */
export class TroupeRpcs extends TasksRpc.merge(NotificationsRpc) {}
