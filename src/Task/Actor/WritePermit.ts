import { Effect } from "effect"

/**
 * Of a run's writes one is made at a time. A step waits for the note that is being written, and fails if that was not
 * written. A note is left out while anything else is written, after a write that failed, and after the end of the run.
 */
export class WritePermit<E> {
  #isTaken = false
  #isEnded = false
  #failure: E | null = null
  /** Opens when the note that is being written has ended. */
  #note: Effect.Latch | null = null

  get isFreeForNote(): boolean {
    return !this.#isTaken && !this.#isEnded && this.#note === null && this.#failure === null
  }

  /** The writer calls `free` once the step is written: this lies on the path of each step. */
  step<A>(write: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (this.#note !== null) return Effect.zipRight(this.#note.await, this.step(write))
      if (this.#failure !== null) return Effect.fail(this.#failure)
      this.#isTaken = true
      return write()
    })
  }

  free(): void {
    this.#isTaken = false
  }

  /** The run has ended: calls that still end may report, but nothing is noted. */
  end(): void {
    this.#isEnded = true
  }

  /** The run ends at its next step if the note can't be written. */
  note(write: () => Effect.Effect<unknown, E>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const latch = Effect.unsafeMakeLatch(false)
      this.#note = latch
      return write().pipe(
        Effect.catchAll((failure) => Effect.sync(() => void (this.#failure = failure))),
        Effect.ensuring(Effect.sync(() => {
          this.#note = null
          latch.unsafeOpen()
        })),
        Effect.asVoid,
        Effect.uninterruptible
      )
    })
  }
}
