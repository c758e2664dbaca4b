import { Clock, Effect } from "effect"

/** Shows the database's time: the journal's times outlive a runner, and runners' clocks differ. */
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
