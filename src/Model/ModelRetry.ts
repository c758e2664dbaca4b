import type { ModelFailed } from "@troupe/domain/FaultStep"
import { Context, Effect } from "effect"

export type ModelRetry = Omit<ModelFailed, "kind">

/**
 * Called before a failed call is repeated; the pause begins after it. Of several callers that share a call, only the first is
 * notified, perhaps after it has ended.
 */
export class OnModelRetry extends Context.Reference<OnModelRetry>()("troupe/Model/OnModelRetry", {
  defaultValue: (): (retry: ModelRetry) => Effect.Effect<void> => () => Effect.void
}) {}
