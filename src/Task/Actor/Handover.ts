import { plural } from "@troupe/domain/Text"
import { Clock, Duration, Effect } from "effect"
import type { Claim } from "../Claim/Claims.ts"
import type { Supervisor } from "./Supervisor.ts"

export interface HandoverOptions {
  /** Keeps other runners from claiming the tasks, for longer than a renewal takes. */
  readonly lease: (claims: ReadonlyArray<Claim>) => Effect.Effect<unknown, unknown>
  readonly renewalInterval: Duration.Duration
}

/**
 * The closed supervisors whose actors end their steps while the shards are already another runner's. Their tasks are leased
 * until they are released.
 */
export class Handover {
  readonly #options: HandoverOptions
  /** With the time, in milliseconds, at which the steps are interrupted. */
  readonly #supervisors = new Map<Supervisor, number>()
  #renewsAt = -Infinity

  constructor(options: HandoverOptions) {
    this.#options = options
  }

  /** Takes over closed supervisors for `limit`, renews leases, and interrupts what is over its limit. */
  advance(closed: ReadonlyArray<Supervisor>, limit: Duration.Duration): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const overdue = this.#dropEnded(now)
      const taken = closed.filter((one) => one.claims.length > 0 && !this.#supervisors.has(one))
      const isDue = taken.length > 0 || (this.#supervisors.size > 0 && now >= this.#renewsAt)
      const claims = [...this.#supervisors.keys(), ...taken].flatMap((one) => one.claims)
      const lease = Effect.matchCauseEffect(this.#options.lease(claims), {
        onFailure: (cause) =>
          Effect.logWarning("Leasing the tasks of lost shards failed; next attempt in 250 ms", cause),
        onSuccess: () =>
          Effect.sync(() => {
            this.#renewsAt = now + Duration.toMillis(this.#options.renewalInterval)
            for (const one of taken) {
              this.#supervisors.set(one, now + Duration.toMillis(limit))
              one.handOver()
            }
          })
      })
      return Effect.zipRight(overdue, isDue ? lease : Effect.void)
    })
  }

  interrupt(claim: Claim): void {
    for (const one of this.#supervisors.keys()) one.interrupt(claim)
  }

  get interruptAll(): Effect.Effect<void> {
    return Effect.forEach(this.#supervisors.keys(), (one) => one.interruptAll, { discard: true })
  }

  #dropEnded(now: number): Effect.Effect<void> {
    let interrupted = 0
    for (const [one, endsAt] of this.#supervisors) {
      if (one.isOpen || one.claims.length === 0) {
        this.#supervisors.delete(one)
      } else if (now >= endsAt) {
        this.#supervisors.set(one, Infinity)
        for (const claim of one.claims) {
          one.interrupt(claim)
          interrupted += 1
        }
      }
    }
    return interrupted === 0 ? Effect.void : Effect.logWarning(
      `Interrupted the steps of ${
        plural(interrupted, "task")
      } whose shards moved to other workers (STEP_HANDOVER_SECONDS)`
    )
  }
}
