import { TaskId } from "@troupe/domain/Ids"
import { Task, TaskLogEntry, TaskStatus } from "@troupe/domain/Task"
import { Usage } from "@troupe/domain/Usage"
import { Schema } from "effect"

const id = Schema.String.annotations({ description: "Resumes the stream after this event" })

const Log = Schema.Struct({ _tag: Schema.Literal("log"), id, entry: TaskLogEntry })
const Status = Schema.Struct({
  _tag: Schema.Literal("status"),
  id,
  status: TaskStatus,
  error: Schema.NullOr(Schema.String),
  ended_by: Task.fields.ended_by,
  /** Earlier versions do not send it. */
  end_label: Schema.optionalWith(Task.fields.end_label, { default: () => null })
})

/** One event of a task's stream. All but pieces of text have an id that resumes the stream. */
export const TaskEvent = Schema.Union(
  Log,
  Status,
  Schema.Struct({ _tag: Schema.Literal("usage"), id, usage: Usage }),
  Schema.Struct({ _tag: Schema.Literal("text"), delta: Schema.String })
).annotations({ identifier: "TaskEvent" })
export type TaskEvent = typeof TaskEvent.Type

/** One event of the stream of all tasks. `position` comes first: without it, a stream without events could not resume. */
export const AnyTaskEvent = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("position"), id }),
  Schema.Struct({ ...Log.fields, task_id: TaskId }),
  Schema.Struct({ ...Status.fields, task_id: TaskId }),
  Schema.Struct({ _tag: Schema.Literal("archived", "restored", "deleted"), id, task_id: TaskId })
).annotations({ identifier: "AnyTaskEvent" })
export type AnyTaskEvent = typeof AnyTaskEvent.Type
