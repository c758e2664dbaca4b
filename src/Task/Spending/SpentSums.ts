import { rounded } from "@troupe/domain/ModelPrice"
import {
  type AppliedLimit,
  limitsFor,
  limitText,
  type Spender,
  spendingChoices,
  type SpendingLimits
} from "@troupe/domain/Spending"
import { headOf } from "@troupe/domain/Text"
import type { ModelCallOf, Permission } from "../../Agent/Spending.ts"

/** Characters of a name that an index may have. */
const maxModel = 200

export interface SpentCalls extends ModelCallOf {
  readonly day: string
  readonly calls: number
  readonly unpriced: number
  readonly cost: number
}

/** What the database knows: the sums of limits by their keys, and what was decided about them. */
export interface Known {
  readonly limits: SpendingLimits
  readonly sums: ReadonlyMap<string, number>
  readonly decisions: ReadonlyMap<string, "go_on" | "stop">
}

/** What this process knows of the money that was spent: what it read, what it has not written yet, and what calls reserve. */
export class SpentSums {
  #known: Known
  #unwritten = new Map<string, SpentCalls>()
  readonly #reserved = new Map<string, number>()
  readonly #reached = new Set<string>()
  /** The smallest call that was refused for each limit since its tasks went on last. */
  readonly #refused = new Map<string, { readonly of: Spender; readonly amount: number }>()
  readonly #today: () => string

  constructor(known: Known, today: () => string) {
    this.#known = known
    this.#today = today
  }

  get limits(): SpendingLimits {
    return this.#known.limits
  }

  reserve(of: Spender, amount: () => number): Permission {
    const limits = limitsFor(this.#known.limits, of, this.#today())
    if (limits.length === 0) return { _tag: "Granted", reservation: null }
    const wanted = amount()
    const reached = limits.find(({ key, limit }) =>
      this.#known.decisions.get(key) !== "go_on" && this.#spentOf(key) + wanted > limit
    )
    if (reached !== undefined) {
      this.#reached.add(reached.key)
      if (wanted < (this.#refused.get(reached.key)?.amount ?? Infinity)) {
        this.#refused.set(reached.key, { of, amount: wanted })
      }
      return this.#known.decisions.get(reached.key) === "stop"
        ? {
          _tag: "Stopped",
          reason: `${limitText(reached.key)} (${reached.limit}) is reached, and it was decided to stop.`
        }
        : { _tag: "Paused", key: reached.key, question: questionOf(reached) }
    }
    this.#add(limits, wanted)
    let isHeld = true
    return {
      _tag: "Granted",
      reservation: {
        release: () => {
          if (isHeld) this.#add(limits, -wanted)
          isHeld = false
        }
      }
    }
  }

  spent(call: ModelCallOf, cost: number | null): void {
    const day = this.#today()
    const of = { ...call, model: headOf(call.model, maxModel) }
    const key = JSON.stringify([day, of.creator, of.agent, of.model, of.source])
    const before = this.#unwritten.get(key) ?? { ...of, day, calls: 0, unpriced: 0, cost: 0 }
    this.#unwritten.set(key, {
      ...before,
      calls: before.calls + 1,
      unpriced: before.unpriced + (cost === null ? 1 : 0),
      cost: rounded(before.cost + (cost ?? 0))
    })
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0
  }

  /** What is to be written now; it counts until `learn`. */
  unwritten(): ReadonlyArray<SpentCalls> {
    return [...this.#unwritten.values()]
  }

  /** `written`: what the sums have by now. */
  learn(known: Known, written: ReadonlyArray<SpentCalls>): void {
    this.#known = known
    for (const one of written) {
      const key = JSON.stringify([one.day, one.creator, one.agent, one.model, one.source])
      const now = this.#unwritten.get(key)
      if (now === undefined || now.calls === one.calls) this.#unwritten.delete(key)
      else {
        this.#unwritten.set(key, {
          ...now,
          calls: now.calls - one.calls,
          unpriced: now.unpriced - one.unpriced,
          cost: rounded(now.cost - one.cost)
        })
      }
    }
  }

  /** The limits for which tasks were paused here since the last time. */
  takeReached(): ReadonlyArray<string> {
    const reached = [...this.#reached]
    this.#reached.clear()
    return reached
  }

  /** Whether the smallest call that was refused for the limit would be granted now; null: this process has refused none. */
  hasRoom(key: string): boolean | null {
    const refused = this.#refused.get(key)
    if (refused === undefined) return null
    const applied = limitsFor(this.#known.limits, refused.of, this.#today()).find((one) => one.key === key)
    return applied === undefined || this.#spentOf(key) + refused.amount <= applied.limit
  }

  /** The tasks under the limit go on: those whose calls are refused again wait again. */
  resumed(key: string): void {
    this.#refused.delete(key)
  }

  #add(limits: ReadonlyArray<AppliedLimit>, amount: number): void {
    for (const { key } of limits) this.#reserved.set(key, Math.max(0, (this.#reserved.get(key) ?? 0) + amount))
  }

  #spentOf(key: string): number {
    let sum = (this.#known.sums.get(key) ?? 0) + (this.#reserved.get(key) ?? 0)
    for (const one of this.#unwritten.values()) {
      if (limitsFor(this.#known.limits, one, one.day).some((limit) => limit.key === key)) sum += one.cost
    }
    return sum
  }
}

const questionOf = ({ key, limit }: AppliedLimit): string =>
  `${limitText(key)} is reached: ${limit}. All tasks under it wait. May they go on in this period? `
  + `"${spendingChoices[0]}" lifts the limit for it, "${
    spendingChoices[1]
  }" ends them with what they have; otherwise they go on with `
  + "the next period. An owner or admin decides."
