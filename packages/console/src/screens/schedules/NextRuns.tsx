import { useQuery } from "@tanstack/react-query"
import type { SchedulePreviewRequest } from "@troupe/client"
import { useEffect, useState } from "react"
import { fieldError } from "../../parts/Outcome.ts"
import { chosenTime } from "../../parts/Time.tsx"
import { schedulePreviewQuery } from "../../service/ScheduleQueries.ts"
import { cronText } from "./CronText.ts"

const pauseMillis = 300

/** A value once nobody has changed it for a moment. */
const useSettled = <A extends object>(value: A, key: string): A => {
  const [settled, setSettled] = useState({ value, key })
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ value, key }), pauseMillis)
    return () => clearTimeout(timer)
  }, [key])
  return settled.value
}

/** When the schedule that is typed would run, or what is wrong with its time. */
export const useNextRuns = (typed: SchedulePreviewRequest) => {
  const when = useSettled(typed, JSON.stringify(typed))
  const isTyped = (when.at ?? when.every ?? "").trim() !== ""
  const { data, error } = useQuery({ ...schedulePreviewQuery(when), enabled: isTyped })
  const faultAt = (path: string) => isTyped ? fieldError(error, path) : undefined
  return { preview: isTyped && error === null ? data : undefined, faultAt }
}

/** The next runs in the words of the schedule's time zone. */
export const NextRuns = ({ preview }: { readonly preview: ReturnType<typeof useNextRuns>["preview"] }) => (
  <div role="status" aria-label="Next runs" className="min-h-5 text-xs text-muted">
    {preview !== undefined && (
      <>
        <p className="font-medium text-text">
          {preview.cron === null ? "Runs once" : cronText(preview.cron) ?? `Cron ${preview.cron}`}, {preview.timezone}
        </p>
        <ol className="mt-0.5">
          {preview.next_runs.map((at) => <li key={at}>{chosenTime(at, preview.timezone)}</li>)}
        </ol>
      </>
    )}
  </div>
)
