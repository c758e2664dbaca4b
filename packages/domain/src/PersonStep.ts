import { Schema } from "effect"
import { storedDoneBy } from "./DoneBy.ts"

/** Messages that users sent to the running agent. */
export const Steered = Schema.Struct({
  kind: Schema.Literal("steered"),
  messages: Schema.Array(Schema.Struct({
    text: Schema.String,
    ...storedDoneBy,
    /** Of a person with a right to the task. */
    trusted: Schema.optional(Schema.Boolean),
    /** Said while calls waited for a decision: it may be about what is refused, so it names nobody. */
    aside: Schema.optional(Schema.Boolean)
  }))
})
export type Steered = typeof Steered.Type

/** `decision`: what a person decided about a call that needed approval. */
export const Answered = Schema.Struct({
  kind: Schema.Literal("answered"),
  ...storedDoneBy,
  decision: Schema.optional(Schema.Literal("approved", "denied"))
})
export type Answered = typeof Answered.Type

/** `silent`: nobody is notified. */
export const Cancelled = Schema.Struct({
  kind: Schema.Literal("cancelled"),
  ...storedDoneBy,
  by: Schema.optional(storedDoneBy.by),
  error: Schema.String,
  silent: Schema.optional(Schema.Literal(true))
})
export type Cancelled = typeof Cancelled.Type

export const Retried = Schema.Struct({ kind: Schema.Literal("retried") })
