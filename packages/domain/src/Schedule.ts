import { Schema } from "effect"
import { ScheduleId, TaskId, UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"
import { WorkHealth } from "./Unattended.ts"

export const isScheduleId = Schema.is(ScheduleId)

export const ScheduleKind = Schema.Literal("task", "reminder")
export type ScheduleKind = typeof ScheduleKind.Type

export const ScheduleStatus = Schema.Literal("active", "paused", "done")
export type ScheduleStatus = typeof ScheduleStatus.Type

/** What the result of a run must be for the run to have worked. */
export const ScheduleExpectation = Schema.Literal("output")

export const Schedule = Schema.Struct({
  id: ScheduleId,
  kind: ScheduleKind.annotations({ description: "Whether a run makes a task or notifies the user" }),
  message: Schema.String.annotations({ description: "The message of the task, or the text of the reminder" }),
  title: Schema.String.annotations({ description: "Title of its tasks and notifications" }),
  at: Schema.NullOr(Timestamp).annotations({ description: "When it runs, if it runs once" }),
  cron: Schema.NullOr(Schema.String).annotations({
    description: "When it runs, if it recurs: a five-field cron; `%2+1` after its "
      + "weekdays: only in every second week, after `*` for its days: only on every second day"
  }),
  every: Schema.NullOr(Schema.String).annotations({ description: "The words that the recurrence was given in" }),
  timezone: Schema.String.annotations({ description: "IANA time zone of the cron" }),
  status: ScheduleStatus.annotations({ description: "active, paused, or done: it does not run again" }),
  next_runs: Schema.Array(Timestamp).annotations({ description: "The next runs, at most 5" }),
  last_run_at: Schema.NullOr(Timestamp).annotations({ description: "When it last ran" }),
  last_task_id: Schema.NullOr(TaskId).annotations({ description: "The task that the last run made" }),
  user_id: UserId.annotations({ description: "The creator of its tasks, and the user who is reminded" }),
  channel_id: Schema.NullOr(Schema.String).annotations({
    description: "The chat platform's id of the channel for results and reminders"
  }),
  agent: Schema.NullOr(Schema.String).annotations({
    description: "The agent of its tasks; null: none in particular"
  }),
  expects: Schema.NullOr(ScheduleExpectation).annotations({
    description:
      "output: a run with an empty result, or the same one as the run before, counts as failed in `health`; null: any "
      + "result will do"
  }),
  max_cost: Schema.NullOr(Schema.Finite).annotations({
    description: "What each of its tasks may cost with its subtasks, in the currency of MODEL_PRICES; null: no limit"
  }),
  health: WorkHealth.annotations({ description: "Whether its runs come and work" }),
  created_at: Timestamp.annotations({ description: "When it was created" })
}).annotations({ identifier: "Schedule" })
export type Schedule = typeof Schedule.Type

export class ScheduleNotFound extends Schema.TaggedError<ScheduleNotFound>()("ScheduleNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `There is no schedule ${this.id}.`
  }
}

/** A value of a request for a schedule can't be used; `path` is its field. */
export class ScheduleInvalid extends Schema.TaggedError<ScheduleInvalid>()("ScheduleInvalid", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

/** The schedule has no further run. */
export class ScheduleEnded extends Schema.TaggedError<ScheduleEnded>()("ScheduleEnded", {
  id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Schedule ${this.id} has no further run: ${this.reason}. Create a new one.`
  }
}

export class TooManySchedules extends Schema.TaggedError<TooManySchedules>()("TooManySchedules", {
  user_id: Schema.String,
  limit: Schema.Int
}) {
  override get message() {
    return `User ${this.user_id} has ${this.limit} schedules that are active or paused, which is the maximum `
      + "(MAX_SCHEDULES_PER_USER). Delete one first."
  }
}
