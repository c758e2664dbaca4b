import type { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import type { Claim } from "../Claim/Claims.ts"
import type { Reservation, Reserve } from "../Claim/FirstClaims.ts"
import { Slots } from "../Claim/Slots.ts"
import type { RunEnd } from "./ActorState.ts"
import type { TaskActors } from "./TaskActors.ts"

interface RunSlotsOptions {
  readonly maxActive: number
  readonly actors: TaskActors["Type"]
  readonly release: (claim: Claim) => Effect.Effect<void>
  /** Due tasks may fit in now that did not before. */
  readonly freed: () => void
  readonly runFork: (effect: Effect.Effect<void>) => void
}

/** The slots of a process and the runs in them: each run has one from its claim to its end. */
export class RunSlots {
  readonly slots: Slots
  readonly #options: RunSlotsOptions
  readonly #idle = Effect.unsafeMakeLatch(true)
  /** How many runs have begun. */
  begun = 0

  constructor(options: RunSlotsOptions) {
    this.slots = new Slots(options.maxActive)
    this.#options = options
  }

  /** Waits until no slot is taken. */
  get settled(): Effect.Effect<void> {
    return this.#idle.await
  }

  begin(claim: Claim): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.slots.add(claim)
      this.begun += 1
      this.#idle.unsafeClose()
      return this.#options.actors.begin(claim, {
        ended: (end) => this.#ended(claim, end),
        progressed: () => this.#progressed(claim)
      })
    })
  }

  /** A slot for a task that is being inserted, if one is left beside `besides` others. */
  reserve({ creator, id }: Parameters<Reserve>[0], besides: number): Reservation | null {
    if (!this.slots.reserve(id, creator, besides)) return null
    this.#idle.unsafeClose()
    // A scan that began before the reservation may have claimed the task again: then it has the slot.
    const isReserved = () => this.slots.claimOf(id) === undefined
    return {
      begin: (claim) => {
        if (isReserved()) this.#options.runFork(this.begin(claim))
      },
      cancel: () => {
        if (isReserved()) this.#free(id)
      }
    }
  }

  /** The runs of these claims, and not of later ones of the same tasks. */
  interrupt(claims: ReadonlyArray<Claim>): void {
    for (const claim of claims) this.#options.actors.interrupt(claim)
  }

  #ended(claim: Claim, end: RunEnd): void {
    const { release, runFork } = this.#options
    const free = () => {
      if (this.slots.ended(claim)) this.#options.freed()
      this.#free(claim.taskId)
    }
    if (end !== "released") return free()
    runFork(Effect.ensuring(release(claim), Effect.sync(free)))
  }

  #progressed(claim: Claim): void {
    if (this.slots.progressed(claim)) this.#options.freed()
  }

  #free(taskId: TaskId): void {
    if (this.slots.isFull) this.#options.freed()
    this.slots.remove(taskId)
    if (this.slots.used === 0) this.#idle.unsafeOpen()
  }
}
