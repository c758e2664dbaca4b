import type { ModelFailed } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { ModelRetry } from "../../Model/ModelRetry.ts"
import type { Fenced, JournalFailed } from "../Journal/Journal.ts"

/**
 * Journals the retries of a run's model calls between its other steps. Of concurrent retries, one is journalled. A retry
 * during the write of another step, or after the end of the run, is only in the service's log.
 */
export class RetryNotes {
  isEnded = false
  readonly #write: (step: ModelFailed) => Effect.Effect<unknown, Fenced | JournalFailed>
  #isWriting = false
  #lost: Fenced | JournalFailed | null = null
  /** Opens when the pending write of a retry ends. */
  #noting: Effect.Latch | null = null
  #retriesAt = 0

  constructor(write: (step: ModelFailed) => Effect.Effect<unknown, Fenced | JournalFailed>) {
    this.#write = write
  }

  readonly add = (retry: ModelRetry): Effect.Effect<void> =>
    Effect.clockWith((clock) => {
      const now = clock.unsafeCurrentTimeMillis()
      if (this.isEnded || this.#isWriting || this.#lost !== null || now < this.#retriesAt) return Effect.void
      const noted = Effect.unsafeMakeLatch(false)
      this.#noting = noted
      this.#retriesAt = now + retry.pause
      return this.#write({ kind: "model_failed", ...retry }).pipe(
        Effect.asVoid,
        // The run ends at its next write.
        Effect.catchAll((failure) => Effect.sync(() => void (this.#lost = failure))),
        Effect.ensuring(Effect.sync(() => {
          this.#noting = null
          noted.unsafeOpen()
        })),
        Effect.uninterruptible
      )
    })

  /** Null where the next step may be written; else what it waits for, which fails if a note could not be written. */
  beginStep(): Effect.Effect<void, Fenced | JournalFailed> | null {
    if (this.#noting !== null) return this.#noting.await
    if (this.#lost !== null) return Effect.fail(this.#lost)
    this.#isWriting = true
    return null
  }

  endStep(): void {
    this.#isWriting = false
  }
}
