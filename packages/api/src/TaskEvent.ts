import { TaskLogEntry, TaskStatus, Usage } from "@troupe/domain/Task"
import { Schema } from "effect"

const id = Schema.String.annotations({ description: "Resumes the stream after this event" })

/** One event of a task's stream. All but pieces of text have an id that resumes the stream. */
export const TaskEvent = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("log"), id, entry: TaskLogEntry }),
  Schema.Struct({ _tag: Schema.Literal("status"), id, status: TaskStatus, error: Schema.NullOr(Schema.String) }),
  Schema.Struct({ _tag: Schema.Literal("usage"), id, usage: Usage }),
  Schema.Struct({ _tag: Schema.Literal("text"), delta: Schema.String })
).annotations({ identifier: "TaskEvent" })
export type TaskEvent = typeof TaskEvent.Type
