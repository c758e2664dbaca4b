import type { ModelFailed } from "@troupe/domain/FaultStep"
import type { ToolCallId } from "@troupe/domain/Ids"
import type { Progressed } from "@troupe/domain/Step"
import type { ModelRetry } from "../../Model/ModelRetry.ts"
import type { ToolProgress } from "../../Tool/OnToolProgress.ts"

export type Note = ModelFailed | Progressed

/** Milliseconds from a call's first progress to the next one that is journalled; each further pause is longer by a tenth. */
const firstPause = 1_000
const pauseGrowth = 1.1

/**
 * Which retries of a run's model calls and which progress of its tool calls become steps: one retry of concurrent ones,
 * and progress ever more seldom. The service's log has all retries, and a call reports its progress again.
 */
export class RunNotes {
  #retriesAt = 0
  readonly #progress = new Map<ToolCallId, { readonly at: number; readonly pause: number }>()

  ofRetry(retry: ModelRetry, now: number): Note | null {
    if (now < this.#retriesAt && retry.next === undefined) return null
    this.#retriesAt = now + retry.pause
    return { kind: "model_failed", ...retry }
  }

  ofProgress(progress: ToolProgress, now: number): Note | null {
    const { at, pause } = this.#progress.get(progress.call) ?? { at: now, pause: firstPause }
    if (now < at) return null
    this.#progress.set(progress.call, { at: now + pause, pause: pause * pauseGrowth })
    return { kind: "progressed", ...progress }
  }
}
