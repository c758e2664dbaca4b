import type { Schedule } from "@troupe/client"
import { Badge, type Tone } from "../../parts/Badge.tsx"
import { chosenTime } from "../../parts/Time.tsx"
import { cronText } from "./CronText.ts"

export const scheduleStates: Readonly<Record<Schedule["status"], string>> = {
  active: "Active",
  paused: "Paused",
  done: "Done"
}

const tones: Readonly<Record<Schedule["status"], Tone>> = { active: "good", paused: "wait", done: "muted" }

export const ScheduleState = ({ status }: { readonly status: Schedule["status"] }) => (
  <Badge tone={tones[status]}>{scheduleStates[status]}</Badge>
)

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const days =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|april|june|july|august|september|october|november|december)\b/gi

/** When it runs: in the words that it was given in, or in those for its cron. */
export const recurrenceText = ({ at, cron, every, timezone }: Schedule): string =>
  at !== null
    ? `Once, ${chosenTime(at, timezone)}`
    : cronText(every ?? cron ?? "") ??
      (every === null ? `Cron ${cron ?? ""}` : capital(every.replaceAll(days, capital)))
