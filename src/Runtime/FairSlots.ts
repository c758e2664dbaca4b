import { Effect, PartitionedSemaphore } from "effect"

export interface FairSlots<in Key> {
  /** Runs the effect once a slot is free. */
  readonly withSlot: (key: Key) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Slots that keys (users) share: each key has at most half of them, and keys that wait are served in turns. */
export const makeFairSlots = <Key>(slots: number): FairSlots<Key> => {
  const all = PartitionedSemaphore.makeUnsafe<Key>({ permits: slots })
  const maxPerKey = Math.max(1, Math.floor(slots / 2))
  const keys = new Map<Key, { readonly own: Effect.Semaphore; users: number }>()

  const enter = (key: Key) =>
    Effect.sync(() => {
      const entry = keys.get(key) ?? { own: Effect.unsafeMakeSemaphore(maxPerKey), users: 0 }
      entry.users++
      keys.set(key, entry)
      return entry
    })

  return {
    withSlot: (key) => (effect) =>
      Effect.acquireUseRelease(
        enter(key),
        ({ own }) => own.withPermits(1)(all.withPermits(key, 1)(effect)),
        (entry) =>
          Effect.sync(() => {
            entry.users--
            if (entry.users === 0) keys.delete(key)
          })
      )
  }
}
