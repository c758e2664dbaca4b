import { Clock, Deferred, Duration, Effect } from "effect"

/**
 * One run of a check for all who ask until a time after its end. Whoever asks while it runs gets its result, and it continues when
 * one of them does not wait for it.
 */
export const sharedCheck = <A>(
  check: Effect.Effect<A>,
  timeToLive: Duration.DurationInput
): Effect.Effect<Effect.Effect<A>> =>
  Effect.sync(() => {
    const millis = Duration.toMillis(timeToLive)
    let last: { readonly result: Deferred.Deferred<A>; expiresAt: number } | null = null
    const begin = Effect.uninterruptible(Effect.gen(function*() {
      const run = { result: yield* Deferred.make<A>(), expiresAt: Number.POSITIVE_INFINITY }
      last = run
      yield* Effect.interruptible(check).pipe(
        Effect.exit,
        Effect.zip(Clock.currentTimeMillis),
        Effect.flatMap(([exit, now]) => {
          run.expiresAt = now + millis
          return Deferred.done(run.result, exit)
        }),
        Effect.forkDaemon
      )
      return run.result
    }))
    return Effect.clockWith((clock) =>
      last !== null && clock.unsafeCurrentTimeMillis() < last.expiresAt
        ? Deferred.await(last.result)
        : Effect.flatMap(begin, Deferred.await)
    )
  })
