import type { ModelFailed } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { ModelRetry } from "../../Model/ModelRetry.ts"
import type { Fenced, JournalFailed } from "../Journal.ts"

/**
 * Journals the retries of a run's model calls, between its other steps. Of calls at the same time only one is told of; none
 * while another step is written, nor of a shared call that outlives the run.
 */
export class RetryNotes {
  isEnded = false
  readonly #write: (step: ModelFailed) => Effect.Effect<unknown, Fenced | JournalFailed>
  #isWriting = false
  #lost: Fenced | JournalFailed | null = null
  /** Open once the note that is being written is. */
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

  /** A step waits for the note before it, and fails where that one could not be written. */
  after<A>(step: Effect.Effect<A, Fenced | JournalFailed>): Effect.Effect<A, Fenced | JournalFailed> {
    return Effect.suspend(() => {
      if (this.#noting !== null) return Effect.zipRight(this.#noting.await, this.after(step))
      if (this.#lost !== null) return Effect.fail(this.#lost)
      this.#isWriting = true
      return Effect.map(step, (result) => {
        this.#isWriting = false
        return result
      })
    })
  }
}
