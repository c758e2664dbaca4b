import type { ProblemError } from "@troupe/api/Problem"
import { Effect, type Scope } from "effect"

/** How much of something each key has at the same time in this process. */
export interface ConcurrencyLimit<in Key> {
  readonly count: (key: Key) => number
  readonly isReached: (key: Key) => boolean
  /** Counts one more until the scope closes, also above the limit. */
  readonly add: (key: Key) => Effect.Effect<void, never, Scope.Scope>
  /** Counts one more until the scope closes; fails with `problem` at the limit. */
  readonly hold: (key: Key) => Effect.Effect<void, ProblemError, Scope.Scope>
  readonly problem: ProblemError
}

export const makeConcurrencyLimit = <Key>(maxPerKey: number, problem: ProblemError): ConcurrencyLimit<Key> => {
  const counts = new Map<Key, number>()
  const count = (key: Key) => counts.get(key) ?? 0
  const isReached = (key: Key) => count(key) >= maxPerKey
  const change = (key: Key, by: 1 | -1) =>
    Effect.sync(() => {
      const changed = count(key) + by
      if (changed === 0) counts.delete(key)
      else counts.set(key, changed)
    })
  const add = (key: Key) => Effect.acquireRelease(change(key, 1), () => change(key, -1))
  const hold = (key: Key) => Effect.suspend(() => isReached(key) ? Effect.fail(problem) : add(key))
  return { count, isReached, add, hold, problem }
}
