import { timeZoneOf } from "@troupe/domain/User"
import { DateTime, Option } from "effect"

export interface PromptTime {
  /** The same text for a whole day, so that providers can cache the prompt up to the time. */
  readonly day: string
  readonly time: string
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

export const promptTime = (epochMillis: number, timezone: string | null): PromptTime => {
  const utc = DateTime.unsafeMake(epochMillis)
  const zone = Option.flatMap(Option.fromNullable(timezone), timeZoneOf)
  const local = DateTime.setZone(utc, Option.getOrElse(zone, () => DateTime.zoneMakeOffset(0)))
  const { hours, minutes, weekDay } = DateTime.toParts(local)
  const known = Option.isSome(zone) ? timezone : "UTC; the requester's time zone is not known"
  return {
    day: `${weekdays[weekDay]}, ${DateTime.formatIsoDate(local)} (${known})`,
    time: `${twoDigits(hours)}:${twoDigits(minutes)} (UTC${DateTime.zonedOffsetIso(local)})`
  }
}

const twoDigits = (value: number): string => value.toString().padStart(2, "0")
