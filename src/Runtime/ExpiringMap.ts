import { Clock, Duration, Effect, Option } from "effect"

/** At most `capacity` values; the longest unchanged are dropped first, and none is found after its time to live. */
export interface ExpiringMap<in K, in out V> {
  readonly get: (key: K) => Effect.Effect<Option.Option<V>>
  readonly set: (key: K, value: V, timeToLive?: Duration.DurationInput) => Effect.Effect<void>
  readonly remove: (key: K) => Effect.Effect<void>
}

export const makeExpiringMap = <K, V>(options: {
  readonly capacity: number
  readonly timeToLive: Duration.DurationInput
}): ExpiringMap<K, V> => {
  const entries = new Map<K, { readonly value: V; readonly expiresAt: number }>()
  return {
    get: (key) =>
      Effect.clockWith((clock) => {
        const entry = entries.get(key)
        const isFresh = entry !== undefined && clock.unsafeCurrentTimeMillis() < entry.expiresAt
        return Effect.succeed(isFresh ? Option.some(entry.value) : Option.none())
      }),
    set: (key, value, timeToLive = options.timeToLive) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        entries.delete(key)
        entries.set(key, { value, expiresAt: now + Duration.toMillis(timeToLive) })
        for (const oldest of entries.keys()) {
          if (entries.size <= options.capacity) break
          entries.delete(oldest)
        }
      }),
    remove: (key) => Effect.sync(() => void entries.delete(key))
  }
}
