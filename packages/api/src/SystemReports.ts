import { Spending } from "@troupe/domain/Spending"
import { Timestamp } from "@troupe/domain/Timestamp"
import { Schema } from "effect"

/** A setting of the process that answers. Of a secret, nothing but whether it is set. */
export const SettingInEffect = Schema.Struct({
  name: Schema.String.annotations({ description: "The environment variable" }),
  description: Schema.String.annotations({ description: "What it does" }),
  is_secret: Schema.Boolean.annotations({ description: "Whether its value is never shown" }),
  is_set: Schema.Boolean.annotations({ description: "Whether the environment or .env sets it" }),
  value: Schema.NullOr(Schema.String).annotations({
    description: "The value in effect; null for a secret, and where other settings decide (the description says how)"
  }),
  default: Schema.NullOr(Schema.String).annotations({ description: "The value while it is not set" })
}).annotations({ identifier: "SettingInEffect" })
export type SettingInEffect = typeof SettingInEffect.Type

export const SettingsReport = Schema.Struct({
  sections: Schema.Array(
    Schema.Struct({
      title: Schema.String.annotations({ description: "What its settings are about" }),
      settings: Schema.Array(SettingInEffect).annotations({ description: "In the order of .env.example" })
    })
  ).annotations({ description: "All settings, as .env.example groups them" })
}).annotations({ identifier: "SettingsReport" })
export type SettingsReport = typeof SettingsReport.Type

export const HistoryPeriod = Schema.Literal("day", "week", "month")
export type HistoryPeriod = typeof HistoryPeriod.Type

export const HistoryQuery = Schema.Struct({
  period: Schema.optionalWith(
    HistoryPeriod.annotations({
      description: "day: by the hour (default); week: by six hours; month: by the day",
      message: () => "day, week or month"
    }),
    { default: () => "day" as const }
  )
})

const count = (description: string) => Schema.Int.annotations({ description })
const seconds = (description: string) => Schema.NullOr(Schema.Number).annotations({ description })

/** Tasks that ended in an interval. */
export const HistoryInterval = Schema.Struct({
  at: Timestamp.annotations({ description: "Where the interval begins" }),
  completed: count("Tasks that completed, without subtasks"),
  failed: count("Tasks that failed or were cancelled, without subtasks"),
  queued_seconds: seconds("Median time from the request to the start; null without a task"),
  duration_seconds: seconds("Median time from the start to the end, waits for people included; null without a task"),
  slow_duration_seconds: seconds("The duration that 95 % of the tasks did not exceed; null without a task"),
  model_calls: count("Model calls of these tasks and of subtasks that ended"),
  input_tokens: count("Tokens that the model read"),
  output_tokens: count("Tokens that the model wrote"),
  cost: Schema.Number.annotations({ description: "What they cost, as far as the calls had a price" }),
  unpriced_tasks: count("Tasks and subtasks without a cost, because a model call had no price")
}).annotations({ identifier: "HistoryInterval" })

export const TaskHistory = Schema.Struct({
  period: HistoryPeriod.annotations({ description: "The period that was asked for" }),
  interval_seconds: count("Length of an interval"),
  is_complete: Schema.Boolean.annotations({
    description: "False if more tasks ended in the period than are read: then the oldest are left out"
  }),
  intervals: Schema.Array(HistoryInterval).annotations({
    description: "Every interval of the period, oldest first; the last one is under way"
  }),
  spending: Schema.optionalWith(Schema.Array(Spending), { default: () => [] }).annotations({
    description:
      "What calls of models cost in the period, by the day of the call, person, agent, model and source, newest first; at most "
      + "5,000"
  })
}).annotations({ identifier: "TaskHistory" })
export type TaskHistory = typeof TaskHistory.Type

export const StorageReport = Schema.Struct({
  database_bytes: count("Size of the whole database"),
  tables: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotations({ description: "Name of the table" }),
      bytes: count("Its size with its indexes"),
      rows: count("Its rows, as the database estimates them")
    })
  ).annotations({ description: "Every table, the largest first" }),
  files_bytes: count("Size of all users' files on disk, as of the last five minutes"),
  oldest_task: Schema.NullOr(Timestamp).annotations({ description: "When the oldest task was made; null without one" }),
  retention_days: Schema.Number.annotations({ description: "TASK_RETENTION_DAYS; 0: finished tasks are kept" })
}).annotations({ identifier: "StorageReport" })
export type StorageReport = typeof StorageReport.Type
