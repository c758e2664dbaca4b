import { oneLine, plural } from "@troupe/domain/Text"
import { DateTime } from "effect"

/** The day of a time in a zone, as 2026-11-28, and the hour. */
export const localTimeOf = (now: DateTime.Utc, zone: DateTime.TimeZone) => {
  const local = DateTime.toParts(DateTime.setZone(now, zone))
  return { day: DateTime.formatIsoDate(DateTime.setZone(now, zone)), hour: local.hours }
}

/**
 * What to do about the digest of a person: `send` it, `skip` it for this day because the hour was over when digests were switched on, or
 * `wait`. One that a stopped service has missed is sent later on the same day.
 */
export const digestDue = (
  { day, hour }: { readonly day: string; readonly hour: number },
  { at, last }: { readonly at: number; readonly last: string | null }
): "send" | "skip" | "wait" => hour < at || last === day ? "wait" : last === null && hour > at ? "skip" : "send"

/** What became of the work of a person in a day. */
export interface Digest {
  readonly completed: number
  readonly failed: number
  /** What the tasks and their subtasks cost; null without a call of a model. */
  readonly cost: number | null
  /** Whether some calls had no price. */
  readonly isUnpriced: boolean
  readonly failures: ReadonlyArray<{ readonly title: string; readonly error: string | null }>
  readonly waiting: number
  readonly questions: ReadonlyArray<string>
  /** Unattended work that is not ok: "Daily report is late". */
  readonly wrong: ReadonlyArray<string>
}

const listed = 5

const lines = (items: ReadonlyArray<string>, total: number): ReadonlyArray<string> => [
  ...items.slice(0, listed).map((item) => `- ${item}`),
  ...(total > listed ? [`- and ${total - listed} more`] : [])
]

/** Null: nothing ran, and nothing waits or fails. */
export const digestText = (digest: Digest): { readonly title: string; readonly body: string } | null => {
  const { completed, cost, failed, failures, isUnpriced, questions, waiting, wrong } = digest
  if (completed + failed + waiting + wrong.length === 0) return null
  const costs = cost === null
    ? isUnpriced ? "Cost: unknown, because the calls of models had no price." : null
    : `Cost: ${cost.toFixed(2)}${isUnpriced ? ", without the calls that had no price" : ""}.`
  const parts = [
    `In the last 24 hours: ${plural(completed, "task")} completed, ${failed} failed.`,
    ...(costs === null ? [] : [costs]),
    ...(failures.length === 0 ? [] : [
      "",
      "Failed:",
      ...lines(
        failures.map(({ error, title }) => `${oneLine(title, 100)}${error === null ? "" : `: ${oneLine(error, 200)}`}`),
        failed
      )
    ]),
    ...(waiting === 0
      ? []
      : ["", "Waiting for an answer:", ...lines(questions.map((title) => oneLine(title, 100)), waiting)]),
    ...(wrong.length === 0
      ? []
      : ["", "Needs attention:", ...lines(wrong.map((one) => oneLine(one, 200)), wrong.length)])
  ]
  return {
    title: `Daily digest: ${completed} completed, ${failed} failed, ${waiting} waiting`,
    body: parts.join("\n")
  }
}
