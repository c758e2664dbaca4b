import { Clock, Duration, Effect } from "effect"

const withTime = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  clockOf: (own: Clock.Clock) => Pick<Clock.Clock, "sleep" | "unsafeCurrentTimeMillis" | "unsafeCurrentTimeNanos">
): Effect.Effect<A, E, R> =>
  Effect.clockWith((own) => {
    const clock = clockOf(own)
    return Effect.withClock(work, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      currentTimeMillis: Effect.sync(() => clock.unsafeCurrentTimeMillis()),
      currentTimeNanos: Effect.sync(() => clock.unsafeCurrentTimeNanos()),
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      sleep: clock.sleep
    })
  })

/** Runs the work with a clock that does not move, so that it does not matter how long a busy machine takes for it. */
export const atOneMoment = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withTime(work, (own) => {
    const millis = own.unsafeCurrentTimeMillis()
    const nanos = own.unsafeCurrentTimeNanos()
    return {
      unsafeCurrentTimeMillis: () => millis,
      unsafeCurrentTimeNanos: () => nanos,
      sleep: (duration) => own.sleep(duration)
    }
  })

const day = Duration.toMillis("1 day")
const ahead = Duration.toMillis("10 minutes")

/** Runs the work with a clock that is set back where the day in UTC ends within ten minutes. */
export const withinOneDay = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withTime(work, (own) => {
    const back = own.unsafeCurrentTimeMillis() % day > day - ahead ? ahead : 0
    return {
      unsafeCurrentTimeMillis: () => own.unsafeCurrentTimeMillis() - back,
      unsafeCurrentTimeNanos: () => own.unsafeCurrentTimeNanos() - BigInt(back) * 1_000_000n,
      sleep: (duration) => own.sleep(duration)
    }
  })

/** Runs the work with sleeps and time-outs that take a fifth of their time. */
export const withShortSleeps = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withTime(work, (own) => ({
    unsafeCurrentTimeMillis: () => own.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => own.unsafeCurrentTimeNanos(),
    sleep: (duration) => own.sleep(Duration.times(duration, 0.2))
  }))
