import { Deferred, type Duration, Effect, Option } from "effect"
import { makeExpiringMap } from "./ExpiringMap.ts"

/**
 * All who ask for a key share one lookup; failures are not cached. `effect/Cache` keeps a node for each expired key.
 */
export interface ExpiringCache<in K, out V, out E = never> {
  readonly get: (key: K) => Effect.Effect<V, E>
  readonly refresh: (key: K) => Effect.Effect<V, E>
  readonly forget: (key: K) => Effect.Effect<void>
}

export const makeExpiringCache = <K, V, E = never>(options: {
  readonly capacity: number
  readonly timeToLive: Duration.DurationInput
  readonly lookup: (key: K) => Effect.Effect<V, E>
}): ExpiringCache<K, V, E> => {
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
    get: (key) => Effect.flatMap(lookups.get(key), Option.match({ onNone: () => refresh(key), onSome: valueOf })),
    refresh,
    forget: lookups.remove
  }
}

const valueOf = <V, E>(result: Deferred.Deferred<V, E>): Effect.Effect<V, E> =>
  Effect.flatMap(Deferred.poll(result), Option.getOrElse(() => Deferred.await(result)))
