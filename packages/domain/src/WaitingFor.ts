import { Schema } from "effect"
import { UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

/** Why a task that is not finished does nothing now. */
export const WaitingFor = Schema.Struct({
  reason: Schema.Literal("answer", "approval", "sign_in", "spending", "subtasks", "timer", "retry", "place", "shard")
    .annotations({
      description:
        "answer: of a person; approval: of calls; sign_in: at a tool server; spending: a spending limit is reached; subtasks: their ends; timer: a time that the agent chose; retry: the next attempt after "
        + "a crash or a failed call of the model; place: a free place on a worker; shard: a worker"
    }),
  since: Timestamp.annotations({ description: "Since when it waits" }),
  until: Schema.NullOr(Timestamp).annotations({ description: "When it goes on by itself; null: on an event" }),
  who: Schema.NullOr(UserId).annotations({ description: "Who is to answer; null where no person is waited for" }),
  count: Schema.NullOr(Schema.Int).annotations({
    description:
      "place: tasks that the worker runs; retry: the number of the next attempt; subtasks: those still open; "
      + "else, or unknown: null"
  }),
  limit: Schema.NullOr(Schema.Int).annotations({
    description:
      "The maximum of `count`: place: tasks that one worker runs (MAX_ACTIVE_TASKS of the process that responds); "
      + "retry: attempts; else, or unknown: null"
  }),
  detail: Schema.String.annotations({ description: "The same in words" })
}).annotations({ identifier: "WaitingFor" })
export type WaitingFor = typeof WaitingFor.Type
