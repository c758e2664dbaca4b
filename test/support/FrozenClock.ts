import { Clock, Effect } from "effect"

/** Runs the work with a clock that does not move, so that it does not matter how long a busy machine takes for it. */
export const atOneMoment = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((own) => {
    const millis = own.unsafeCurrentTimeMillis()
    const nanos = own.unsafeCurrentTimeNanos()
    return Effect.withClock(work, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => millis,
      unsafeCurrentTimeNanos: () => nanos,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanos: Effect.succeed(nanos),
      sleep: (duration) => own.sleep(duration)
    })
  })
