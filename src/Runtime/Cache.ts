import { Clock, Deferred, Duration, Effect, Option } from "effect"

/** Computes the result once for each object, which is kept as long as the object. */
export const memoized = <A extends object, B>(make: (value: A) => B): (value: A) => B => {
  const made = new WeakMap<A, { readonly result: B }>()
  return (value) => {
    const known = made.get(value)
    if (known !== undefined) return known.result
    const result = make(value)
    made.set(value, { result })
    return result
  }
}

/** At most `capacity` values; the longest unchanged are dropped first, and none is found after its time to live. */
export const makeExpiringMap = <K, V>(options: {
  readonly capacity: number
  readonly timeToLive: Duration.DurationInput
}) => {
  const entries = new Map<K, { readonly value: V; readonly expiresAt: number }>()
  return {
    get: (key: K) =>
      Effect.clockWith((clock) => {
        const entry = entries.get(key)
        const isFresh = entry !== undefined && clock.unsafeCurrentTimeMillis() < entry.expiresAt
        return Effect.succeed(isFresh ? Option.some(entry.value) : Option.none())
      }),
    set: (key: K, value: V, timeToLive = options.timeToLive) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        entries.delete(key)
        entries.set(key, { value, expiresAt: now + Duration.toMillis(timeToLive) })
        for (const oldest of entries.keys()) {
          if (entries.size <= options.capacity) break
          entries.delete(oldest)
        }
      }),
    remove: (key: K) => Effect.sync(() => void entries.delete(key)),
    clear: Effect.sync(() => entries.clear())
  }
}

/**
 * All who ask for a key share one lookup; failures are not cached. `effect/Cache` keeps a node for each expired key.
 */
export const makeExpiringCache = <K, V, E = never>(options: {
  readonly capacity: number
  readonly timeToLive: Duration.DurationInput
  readonly lookup: (key: K) => Effect.Effect<V, E>
}) => {
  const lookups = makeExpiringMap<K, Deferred.Deferred<V, E>>(options)
  const refresh = (key: K) =>
    Effect.gen(function*() {
      const result = yield* Deferred.make<V, E>()
      yield* lookups.set(key, result)
      yield* Effect.interruptible(options.lookup(key)).pipe(
        Effect.tapErrorCause(() => lookups.remove(key)),
        Effect.intoDeferred(result),
        Effect.forkDaemon
      )
      return result
    }).pipe(Effect.uninterruptible, Effect.flatMap(Deferred.await))
  return {
    get: (key: K) => Effect.flatMap(lookups.get(key), Option.match({ onNone: () => refresh(key), onSome: valueOf })),
    refresh,
    forget: lookups.remove
  }
}

const valueOf = <V, E>(result: Deferred.Deferred<V, E>): Effect.Effect<V, E> =>
  Effect.flatMap(Deferred.poll(result), Option.getOrElse(() => Deferred.await(result)))
