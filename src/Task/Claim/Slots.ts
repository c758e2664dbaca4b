import type { TaskId } from "@troupe/domain/Ids"
import { isSuspect } from "../Actor/ProcessDeaths.ts"
import type { Claim } from "./Claims.ts"

interface Slot {
  readonly claim: Claim
  isRecovering: boolean
}

/** How much of the slots one user may hold, so that many tasks of one leave room for the others. */
const maxShareOfOneUser = 0.75

export const maxPerUser = (max: number): number => Math.max(1, Math.ceil(max * maxShareOfOneUser))

export class Slots {
  readonly #slots = new Map<TaskId, Slot>()
  readonly #max: number
  readonly #maxPerUser: number

  constructor(max: number) {
    this.#max = max
    this.#maxPerUser = maxPerUser(max)
  }

  get used(): number {
    return this.#slots.size
  }

  get claims(): ReadonlyArray<Claim> {
    return Array.from(this.#slots.values(), ({ claim }) => claim)
  }

  claimOf(taskId: TaskId): Claim | undefined {
    return this.#slots.get(taskId)?.claim
  }

  add(claim: Claim): void {
    this.#slots.set(claim.taskId, { claim, isRecovering: claim.deaths > 0 })
  }

  remove(taskId: TaskId): void {
    this.#slots.delete(taskId)
  }

  /** Notes that the task got beyond the step during which its process ended; true if another suspect may run now. */
  progressed(claim: Claim): boolean {
    const slot = this.#slots.get(claim.taskId)
    if (slot?.claim !== claim || !slot.isRecovering) return false
    slot.isRecovering = false
    return isSuspect(slot.claim.deaths)
  }

  get room() {
    const slots = Array.from(this.#slots.values())
    const recovering = slots.filter(({ isRecovering }) => isRecovering)
    return {
      free: this.#max - slots.length,
      perUser: this.#maxPerUser,
      active: new Map(slots.map(({ claim }) => [claim.taskId, claim.creator])),
      suspect: recovering.some(({ claim }) => isSuspect(claim.deaths)) ? null : { isAlone: recovering.length === 0 }
    }
  }

  /** Whether a scan leaves due tasks unclaimed for want of a slot, be it of any or of one for their user. */
  get isFull(): boolean {
    return this.isFullWith(this.claims.map(({ creator }) => creator))
  }

  isFullWith(users: ReadonlyArray<string>): boolean {
    if (users.length >= this.#max) return true
    const counts = new Map<string, number>()
    for (const user of users) counts.set(user, (counts.get(user) ?? 0) + 1)
    return Array.from(counts.values()).some((count) => count >= this.#maxPerUser)
  }
}
