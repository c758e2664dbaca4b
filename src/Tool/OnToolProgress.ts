import type { Progressed } from "@troupe/domain/Step"
import { Context, Effect } from "effect"

export type ToolProgress = Omit<Progressed, "kind">

/** What happens with the progress of a call that a tool server reports. */
export class OnToolProgress extends Context.Reference<OnToolProgress>()("troupe/Tool/OnToolProgress", {
  defaultValue: (): (progress: ToolProgress) => Effect.Effect<void> => () => Effect.void
}) {}
