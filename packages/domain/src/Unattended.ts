import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

/** What works without anybody who looks. */
export const WorkKind = Schema.Literal("schedule", "webhook_type", "mailbox", "tool_server")
export type WorkKind = typeof WorkKind.Type

export const WorkState = Schema.Literal("ok", "late", "failing", "silent")
export type WorkState = typeof WorkState.Type

export const WorkHealth = Schema.Struct({
  state: WorkState.annotations({
    description:
      "ok; late: a run is missing; failing: three tasks in a row failed, or the connection does; silent: no delivery "
      + "for three times the longest gap so far"
  }),
  since: Schema.NullOr(Timestamp).annotations({ description: "Since when; null: nobody has looked yet" }),
  last_ok_at: Schema.NullOr(Timestamp).annotations({ description: "When it last worked; null: not known" }),
  last_error: Schema.NullOr(Schema.String).annotations({
    description: "Why it failed the last time; null: it did not"
  }),
  failures_in_a_row: Schema.Int.annotations({ description: "Failures since it last worked, at most 20" }),
  missed: Schema.Int.annotations({ description: "Of a schedule that is late: the runs that are missing, at most 100" })
}).annotations({ identifier: "WorkHealth" })
export type WorkHealth = typeof WorkHealth.Type

/** Before the first look, which follows within a minute. */
export const unseenHealth: WorkHealth = {
  state: "ok",
  since: null,
  last_ok_at: null,
  last_error: null,
  failures_in_a_row: 0,
  missed: 0
}

export const UnattendedWork = Schema.Struct({
  kind: WorkKind.annotations({ description: "schedule, webhook_type, mailbox or tool_server" }),
  id: Schema.String.annotations({ description: "Id of the schedule, or the name" }),
  name: Schema.String.annotations({ description: "What people call it" }),
  health: WorkHealth.annotations({ description: "As the last look found it" })
}).annotations({ identifier: "UnattendedWork" })
export type UnattendedWork = typeof UnattendedWork.Type
