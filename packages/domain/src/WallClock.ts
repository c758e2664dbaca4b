import { DateTime, Option } from "effect"

/** The reading of a clock on a wall somewhere, as if it were UTC. */
export type WallClock = DateTime.Utc

export const wallClockAt = (time: DateTime.DateTime, zone: DateTime.TimeZone): WallClock =>
  DateTime.unsafeMake(DateTime.toDate(DateTime.setZone(time, zone)))

/** A reading that a change of the clock skips is that much later; of one that comes twice it is the first. */
export const timeAt = (clock: WallClock, zone: DateTime.TimeZone): Option.Option<DateTime.Utc> =>
  Option.map(DateTime.makeZoned(clock, { timeZone: zone, adjustForTimeZone: true }), DateTime.toUtc)
