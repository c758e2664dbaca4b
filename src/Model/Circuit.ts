import { Duration } from "effect"

const firstPause = Duration.toMillis("1 minute")
const maxPause = Duration.toMillis("10 minutes")

/** Until when a model that failed is passed over, in this process: a minute, which doubles to ten while it goes on failing. */
export class Circuit {
  #until = 0
  #pause = 0

  /** Milliseconds for which the model is still passed over; 0: it is called. */
  timeLeft(now: number): number {
    return Math.max(0, this.#until - now)
  }

  /** Calls that began before the model was passed over do not make its pause longer. */
  failed(now: number): void {
    if (this.timeLeft(now) > 0) return
    this.#pause = Math.min(maxPause, Math.max(firstPause, this.#pause * 2))
    this.#until = now + this.#pause
  }

  answered(): void {
    this.#until = 0
    this.#pause = 0
  }
}
