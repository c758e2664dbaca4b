import { useSyncExternalStore } from "react"
import { plural } from "./Plural.ts"

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all times that are shown, in steps of a second. */
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const listen of listeners) listen()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** What `read` makes of the time now, in milliseconds. What uses it is rendered again only when that changes. */
export const useClock = <A extends string | number | boolean>(read: (now: number) => A): A =>
  useSyncExternalStore(subscribe, () => read(Math.floor(Date.now() / 1_000) * 1_000))

const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" })
const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" })
const dayOfYear = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" })

/** A time that somebody chose, which has no seconds, as a clock in the time zone shows it. */
export const chosenTime = (at: string, timeZone: string): string => {
  try {
    return new Intl.DateTimeFormat("en", {
      weekday: "short",
      year: "numeric",
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone
    }).format(Date.parse(at))
  } catch {
    // The service knows more time zones than the browser.
    return absoluteTime(at)
  }
}

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

/** The day of a time in the browser's zone. */
export const dayText = (at: string): string => dayOfYear.format(Date.parse(at))

/** A time near now as hours and minutes, one of another day with its date. */
export const clockTime = (at: string): string => {
  const time = new Date(at)
  return time.toDateString() === new Date().toDateString()
    ? clock.format(time)
    : `${day.format(time)}, ${clock.format(time)}`
}

/** A time as a date and clock time in the browser's zone. */
export const absoluteTime = (at: string): string => absolute.format(Date.parse(at))

/** The duration in its two largest units: `3 m 20 s`. */
export const durationText = (millis: number): string => {
  if (millis < 0) return "0 s"
  if (millis < 1_000) return `${Math.round(millis)} ms`
  if (millis < 10_000) return `${(millis / 1_000).toFixed(1)} s`
  const seconds = Math.round(millis / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const relative = (millis: number): string => {
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 60) return `${Math.max(1, minutes)} min`
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : plural(Math.floor(minutes / 1_440), "day")
}

const shortText = (at: number, now: number): string => {
  const past = now - at
  if (past > -5_000 && past < 60_000) return "just now"
  if (past < 0 && past > -60_000) return "in a minute"
  if (past < 0) return `in ${relative(-past)}`
  if (past < 7 * 86_400_000) return `${relative(past)} ago`
  return (past < 300 * 86_400_000 ? day : dayOfYear).format(at)
}

/** A time as its distance from now, with the whole time on hover. */
export const Time = ({ at, className }: { readonly at: string; readonly className?: string }) => {
  const millis = Date.parse(at)
  const text = useClock((now) => shortText(millis, now))
  return (
    <time dateTime={at} title={absolute.format(millis)} className={className}>
      {text}
    </time>
  )
}

/** How long something takes or took; while it has no end, until now. */
export const Duration = ({ from, to }: { readonly from: string; readonly to: string | null }) => {
  const text = useClock((now) => durationText((to === null ? now : Date.parse(to)) - Date.parse(from)))
  return <>{text}</>
}
