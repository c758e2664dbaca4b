// The steps that say what went wrong: a process, a call of a model, or the task.
import { Schema } from "effect"
import { StepCost, StepTokens } from "./StepUsage.ts"

/**
 * The actor crashed and wakes again at `retryAt`, for attempt `attempt` of `attempts` at the step. `deaths`: consecutive process
 * deaths in this step, which have another limit.
 */
export const Crashed = Schema.Struct({
  kind: Schema.Literal("crashed"),
  reason: Schema.String,
  retryAt: Schema.Finite,
  attempt: Schema.optional(Schema.Int),
  attempts: Schema.optional(Schema.Int),
  deaths: Schema.optional(Schema.Int)
})

/**
 * A call of the model or of the embeddings failed; after `pause` milliseconds it is made again, as attempt `attempt` of `attempts`.
 * With `next`, the model `model` has used up its attempts, and the fallback of that name makes the call.
 */
export const ModelFailed = Schema.Struct({
  kind: Schema.Literal("model_failed"),
  call: Schema.Literal("model", "embedding"),
  reason: Schema.String,
  attempt: Schema.Int,
  attempts: Schema.Int,
  pause: Schema.Int,
  model: Schema.optional(Schema.String),
  next: Schema.optional(Schema.String)
})
export type ModelFailed = typeof ModelFailed.Type

/** A call of the model was interrupted after it had got some text; nobody counted its tokens, so these are estimates. */
export const Interrupted = Schema.Struct({ kind: Schema.Literal("interrupted"), tokens: StepTokens, cost: StepCost })
export type Interrupted = typeof Interrupted.Type

export const Failed = Schema.Struct({
  kind: Schema.Literal("failed"),
  error: Schema.String,
  tokens: Schema.optional(StepTokens),
  cost: StepCost
})
export type Failed = typeof Failed.Type
