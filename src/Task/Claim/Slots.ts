import type { TaskId } from "@troupe/domain/Ids"
import { isSuspect, maxSharedDeaths } from "../Row/ProcessDeaths.ts"
import { countOfEach } from "./Choice.ts"
import type { Claim } from "./Claims.ts"

interface Slot {
  readonly creator: string
  /** Null: reserved for a task that is being inserted. */
  readonly claim: Claim | null
  isRecovering: boolean
}

/** How much of the slots one user may hold, so that many tasks of one leave room for the others. */
const maxShareOfOneUser = 0.75

export const maxPerUser = (max: number): number => Math.max(1, Math.ceil(max * maxShareOfOneUser))

export class Slots {
  readonly #slots = new Map<TaskId, Slot>()
  readonly #max: number
  readonly #maxPerUser: number
  /** How many suspects may run at a time: one, and after each that gets beyond its step twice as many. */
  #maxSuspects = 1

  constructor(max: number) {
    this.#max = max
    this.#maxPerUser = maxPerUser(max)
  }

  get used(): number {
    return this.#slots.size
  }

  get claims(): ReadonlyArray<Claim> {
    return Array.from(this.#slots.values()).flatMap(({ claim }) => claim ?? [])
  }

  claimOf(taskId: TaskId): Claim | undefined {
    return this.#slots.get(taskId)?.claim ?? undefined
  }

  add(claim: Claim): void {
    // A process ended with it.
    if (claim.claimKind === "recovered" && isSuspect(claim.deaths)) this.#maxSuspects = 1
    this.#slots.set(claim.taskId, { creator: claim.creator, claim, isRecovering: claim.deaths > 0 })
  }

  /** False if no slot is left beside `besides` others, or the share of the user is used up. */
  reserve(taskId: TaskId, creator: string, besides: number): boolean {
    const isFree = this.#slots.size + besides < this.#max && this.#count(creator) + besides < this.#maxPerUser
    if (isFree) this.#slots.set(taskId, { creator, claim: null, isRecovering: false })
    return isFree
  }

  remove(taskId: TaskId): void {
    this.#slots.delete(taskId)
  }

  /** Notes that the task got beyond the step during which its process ended; true if other suspects may run now. */
  progressed(claim: Claim): boolean {
    const isSafe = this.ended(claim)
    if (isSafe) this.#maxSuspects = Math.min(this.#maxSuspects * 2, this.#max)
    return isSafe
  }

  /** No suspect is due: those to come are others, of which one is tried first. */
  forgetSuspects(): void {
    this.#maxSuspects = 1
  }

  /** True if it was a suspect until now, so that another one may run. */
  ended(claim: Claim): boolean {
    const slot = this.#slots.get(claim.taskId)
    if (slot?.claim !== claim || !slot.isRecovering) return false
    slot.isRecovering = false
    return isSuspect(slot.claim.deaths)
  }

  get room() {
    const recovering = Array.from(this.#slots.values()).flatMap(({ claim, isRecovering }) =>
      isRecovering ? claim?.deaths ?? 0 : []
    )
    const suspects = recovering.filter(isSuspect)
    const most = this.#maxSuspects - suspects.length
    return {
      free: this.#max - this.#slots.size,
      perUser: this.#maxPerUser,
      active: new Map(Array.from(this.#slots, ([taskId, { creator }]) => [taskId, creator])),
      suspects: most <= 0 || suspects.some((deaths) => deaths > maxSharedDeaths)
        ? null
        : { most, isFirst: suspects.length === 0, isAlone: recovering.length === 0 }
    }
  }

  /** All slots are taken, or all that one of the users may have: a scan may leave due tasks unclaimed. */
  get isFull(): boolean {
    return this.isFullWith(Array.from(this.#slots.values(), ({ creator }) => creator))
  }

  isFullWith(users: ReadonlyArray<string>): boolean {
    if (users.length >= this.#max) return true
    return Array.from(countOfEach(users).values()).some((count) => count >= this.#maxPerUser)
  }

  #count(user: string): number {
    let count = 0
    for (const { creator } of this.#slots.values()) if (creator === user) count += 1
    return count
  }
}
