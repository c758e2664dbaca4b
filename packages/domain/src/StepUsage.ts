import { Schema } from "effect"

/** What the calls of a step have sent and got, in tokens. */
export const StepTokens = Schema.Tuple(Schema.Int, Schema.Int)

/** By the price of the model at the time of the call; left out if it had none. */
export const StepCost = Schema.optional(Schema.Finite)
