import { Clock, Effect } from "effect"

/**
 * A clock that shows the database's time, as far as it was ahead of the given one when the database said `now`. Times
 * of day in the journal outlive the runner that wrote them, and the clocks of runners may differ.
 */
export const databaseClock = (own: Clock.Clock, now: number): Clock.Clock => {
  const ahead = now - own.unsafeCurrentTimeMillis()
  const millis = () => own.unsafeCurrentTimeMillis() + ahead
  const nanos = () => own.unsafeCurrentTimeNanos() + BigInt(Math.round(ahead)) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => own.sleep(duration)
  }
}
