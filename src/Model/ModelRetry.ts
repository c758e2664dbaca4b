import type { ModelFailed } from "@troupe/domain/Step"
import { Context, Effect } from "effect"

export type ModelRetry = Omit<ModelFailed, "kind">

/**
 * What else whoever calls the model does before a call is made again; the pause begins after it. A call that several share
 * tells the first of them, perhaps after it has ended.
 */
export class OnModelRetry extends Context.Reference<OnModelRetry>()("troupe/Model/OnModelRetry", {
  defaultValue: (): (retry: ModelRetry) => Effect.Effect<void> => () => Effect.void
}) {}
