import { DateTime, Option, Schema } from "effect"
import { UserId } from "./Ids.ts"
import { Spending } from "./Spending.ts"

export const Usage = Schema.Struct({
  input_tokens: Schema.Int.annotations({ description: "Tokens sent to the model" }),
  output_tokens: Schema.Int.annotations({ description: "Tokens the model wrote" }),
  model_calls: Schema.Int.annotations({ description: "Calls of the model" }),
  tool_calls: Schema.Int.annotations({ description: "Calls of tools" }),
  cost: Schema.NullOr(Schema.Finite).annotations({
    description:
      "Cost of the model calls in the currency of MODEL_PRICES; null while a call has no price, and without calls"
  })
})
export type Usage = typeof Usage.Type

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, model_calls: 0, tool_calls: 0, cost: null }

/** What a task itself used; `total` is with all its subtasks. */
export const TaskUsage = Schema.Struct({
  ...Usage.fields,
  total: Usage.annotations({ description: "The same with all subtasks" })
})
export type TaskUsage = typeof TaskUsage.Type

/** `cost` is of those tasks whose calls all had a price. */
const tasksUsage = {
  tasks: Schema.Int.annotations({ description: "Tasks of the user, without subtasks" }),
  unpriced_tasks: Schema.Int.annotations({
    description: "Tasks and subtasks without a cost, because a model call had no price"
  }),
  ...Usage.fields
}

/** A day in UTC. */
export const Day = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d\d-\d\d$/),
  Schema.filter((day) => Option.exists(DateTime.make(day), (at) => DateTime.formatIsoDateUtc(at) === day))
).annotations({
  // Without it, the document has no description of a filter.
  jsonSchema: {},
  message: () => "a day such as 2026-01-31"
})

export const DayUsage = Schema.Struct({
  date: Schema.String.annotations({ description: "The day in UTC on which the tasks were created" }),
  ...tasksUsage
}).annotations({ identifier: "DayUsage" })

/** What the tasks and subtasks of a user came to that were created in a period, in total and by day. */
export const UserUsage = Schema.Struct({
  user_id: UserId,
  ...tasksUsage,
  days: Schema.Array(DayUsage).annotations({ description: "The same for each day with tasks, newest first" }),
  spending: Schema.optionalWith(Schema.Array(Spending), { default: () => [] }).annotations({
    description:
      "What calls of models cost, by the day of the call, agent, model and source, newest first; at most 5,000"
  })
}).annotations({ identifier: "UserUsage" })
export type UserUsage = typeof UserUsage.Type
