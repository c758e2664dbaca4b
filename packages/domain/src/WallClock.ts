import { DateTime, Option } from "effect"

/** A local date and time, as if it were UTC. */
export type WallClock = DateTime.Utc

export const wallClockAt = (time: DateTime.DateTime, zone: DateTime.TimeZone): WallClock =>
  DateTime.unsafeMake(DateTime.toDate(DateTime.setZone(time, zone)))

/** A local time that a clock change skips is that much later; of one that occurs twice it is the first. */
export const timeAt = (clock: WallClock, zone: DateTime.TimeZone): Option.Option<DateTime.Utc> =>
  Option.map(DateTime.makeZoned(clock, { timeZone: zone, adjustForTimeZone: true }), DateTime.toUtc)
