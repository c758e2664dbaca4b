import { Schema } from "effect"
import { recordId, ScheduleId, TaskId, UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

export const GrantId = recordId("GrantId", "Grant id: a time-sortable UUIDv7")
export type GrantId = typeof GrantId.Type

/** For what a grant holds: this task; the runs of its schedule; its agent or, without one, its person's tasks of the project. */
export const GrantScope = Schema.Literal("task", "schedule", "agent")
export type GrantScope = typeof GrantScope.Type

/** Equal calls that need no approval any more. */
export const Grant = Schema.Struct({
  id: GrantId,
  tool: Schema.String.annotations({ description: "The tool's name as the model sees it" }),
  scope: GrantScope.annotations({ description: "task, schedule or agent" }),
  same: Schema.Array(Schema.String).annotations({
    description: "Arguments that must stay as they were, by JSON pointer"
  }),
  values: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ description: "Their values" }),
  task_id: Schema.NullOr(TaskId).annotations({ description: "The task, with scope task" }),
  schedule_id: Schema.NullOr(ScheduleId).annotations({ description: "The schedule, with scope schedule" }),
  agent: Schema.NullOr(Schema.String).annotations({ description: "The agent, with scope agent; null: without one" }),
  granted_by: UserId.annotations({ description: "Who granted it" }),
  created_at: Timestamp.annotations({ description: "When" }),
  used_at: Schema.NullOr(Timestamp).annotations({ description: "When it last applied" }),
  uses: Schema.Int.annotations({ description: "How often it applied" })
}).annotations({ identifier: "Grant" })
export type Grant = typeof Grant.Type

export class GrantNotFound extends Schema.TaggedError<GrantNotFound>()("GrantNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no grant ${this.id}.`
  }
}
