import * as Rpc from "@effect/rpc/Rpc"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import { NotAllowed } from "@troupe/domain/Caller"
import { SearchUnfinished } from "@troupe/domain/Search"
import { IdempotencyConflict, Task, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { Schema } from "effect"
import { pageOf } from "./Listing.ts"
import { RpcGate } from "./RpcGate.ts"
import { TaskEvent } from "./TaskEvent.ts"
import { CancelRequest, ChatRequest, HumanResponse, idempotencyKey, MessageRequest, TaskQuery } from "./TasksApi.ts"

/** Any string: an id of another form fails like an unknown id. */
const task_id = Schema.String.annotations({ description: "Task id" })

const changed = { success: Task, error: Schema.Union(NotAllowed, TaskNotFound, TaskStateConflict) }
const said = { success: Task, error: Schema.Union(NotAllowed, TaskNotFound, TaskRequestInvalid, TaskStateConflict) }

/** The use-cases of tasks as remote procedures: the schemas, limits and errors are those of `TasksApi`. */
export class TasksRpc extends RpcGroup.make(
  Rpc.make("submit", {
    payload: { ...ChatRequest.fields, idempotency_key: Schema.optional(idempotencyKey) },
    success: Task,
    error: Schema.Union(NotAllowed, IdempotencyConflict, TaskRequestInvalid)
  }),
  Rpc.make("get", { payload: { task_id }, success: Task, error: TaskNotFound }),
  Rpc.make("list", { payload: Schema.typeSchema(TaskQuery), success: pageOf(Task), error: SearchUnfinished }),
  Rpc.make("watch", {
    payload: {
      task_id,
      after: Schema.optional(Schema.String.annotations({ description: "Resume after the event of this id" }))
    },
    success: TaskEvent,
    error: TaskNotFound,
    stream: true
  }),
  Rpc.make("answer", { payload: HumanResponse.fields, ...said }),
  Rpc.make("message", { payload: { task_id, ...MessageRequest.fields }, ...said }),
  Rpc.make("cancel", { payload: { task_id, ...CancelRequest.fields }, ...changed }),
  Rpc.make("retry", { payload: { task_id }, ...changed })
).middleware(RpcGate) {}
