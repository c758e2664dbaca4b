import type { ToolCallId } from "@troupe/domain/Ids"
import type { ModelFailed, Progressed } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { ModelRetry } from "../../Model/ModelRetry.ts"
import type { ToolProgress } from "../../Tool/OnToolProgress.ts"
import type { Fenced, JournalFailed } from "../Journal/Journal.ts"

type Note = ModelFailed | Progressed

/** Milliseconds from a call's first progress to the next one that is journalled; each further pause is longer by a tenth. */
const firstPause = 1_000
const pauseGrowth = 1.1

/**
 * Journals the retries of a run's model calls, and the progress of its tool calls, between its other steps. Of concurrent
 * notes, one is journalled. One during the write of another step, or after the end of the run, is left out: the service's log
 * has the retries, and a call reports its progress again.
 */
export class RunNotes {
  isEnded = false
  readonly #write: (step: Note) => Effect.Effect<unknown, Fenced | JournalFailed>
  #isWriting = false
  #lost: Fenced | JournalFailed | null = null
  /** Opens when the pending write of a note ends. */
  #noting: Effect.Latch | null = null
  #retriesAt = 0
  readonly #progress = new Map<ToolCallId, { readonly at: number; readonly pause: number }>()

  constructor(write: (step: Note) => Effect.Effect<unknown, Fenced | JournalFailed>) {
    this.#write = write
  }

  readonly addRetry = (retry: ModelRetry): Effect.Effect<void> =>
    this.#add((now) => {
      if (now < this.#retriesAt) return null
      this.#retriesAt = now + retry.pause
      return { kind: "model_failed", ...retry }
    })

  readonly addProgress = (progress: ToolProgress): Effect.Effect<void> =>
    this.#add((now) => {
      const { at, pause } = this.#progress.get(progress.call) ?? { at: now, pause: firstPause }
      if (now < at) return null
      this.#progress.set(progress.call, { at: now + pause, pause: pause * pauseGrowth })
      return { kind: "progressed", ...progress }
    })

  #add(noteAt: (now: number) => Note | null): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      if (this.isEnded || this.#isWriting || this.#noting !== null || this.#lost !== null) return Effect.void
      const note = noteAt(clock.unsafeCurrentTimeMillis())
      if (note === null) return Effect.void
      const noted = Effect.unsafeMakeLatch(false)
      this.#noting = noted
      return this.#write(note).pipe(
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
  }

  /** Null if the next step may be written now; else the write of a note to wait for, which fails if the note was not written. */
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
