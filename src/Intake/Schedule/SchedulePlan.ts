import type { ScheduleDraft, SchedulePreview, SchedulePreviewRequest } from "@troupe/api/SchedulesApi"
import { ScheduleInvalid } from "@troupe/domain/Schedule"
import { timeZoneOf } from "@troupe/domain/User"
import { DateTime, Effect, Option } from "effect"
import { beginningAfter } from "./CronText.ts"
import { recurrenceOf } from "./Recurrence.ts"
import { scheduledTimeOf } from "./ScheduledTimes.ts"
import { nextRunOf, nextRunsOf, zoneOf } from "./ScheduleRow.ts"

/** A time, or a recurrence: each in plain words, or as ISO 8601 or a cron. */
type When = { readonly at: string } | { readonly every: string }

export const whenOf = (
  { at, every }: Pick<ScheduleDraft, "at" | "every">
): Effect.Effect<When | undefined, ScheduleInvalid> =>
  at !== undefined && every !== undefined
    ? new ScheduleInvalid({ path: "every", reason: "either at or every, not both" })
    : Effect.succeed(at !== undefined ? { at } : every !== undefined ? { every } : undefined)

export const givenWhen = (given: Pick<ScheduleDraft, "at" | "every">): Effect.Effect<When, ScheduleInvalid> =>
  Effect.flatMap(whenOf(given), (when) =>
    when === undefined
      ? new ScheduleInvalid({ path: "at", reason: "either at (once) or every (recurring) is required" })
      : Effect.succeed(when))

export const zoneGiven = (name: string): Effect.Effect<string, ScheduleInvalid> =>
  Option.isSome(timeZoneOf(name))
    ? Effect.succeed(name)
    : new ScheduleInvalid({ path: "timezone", reason: "the name of an IANA time zone such as Europe/Berlin" })

export const planOf = Effect.fnUntraced(function*(
  when: When,
  { now, timezone }: { readonly now: DateTime.Utc; readonly timezone: string }
) {
  if ("at" in when) {
    const time = yield* scheduledTimeOf(when.at, { now, zone: zoneOf(timezone) }).pipe(
      Effect.mapError((reason) => new ScheduleInvalid({ path: "at", reason }))
    )
    const at = DateTime.formatIso(time)
    return { at, cron: null, every: null, next_run_at: at }
  }
  const invalid = (reason: string) => new ScheduleInvalid({ path: "every", reason })
  const recurrence = yield* Effect.mapError(recurrenceOf(when.every), invalid)
  const cron = beginningAfter(recurrence, zoneOf(timezone), now)
  const next = nextRunOf({ at: null, cron, timezone }, now)
  if (Option.isNone(next)) return yield* invalid(`${cron} never occurs`)
  return { at: null, cron, every: when.every, next_run_at: DateTime.formatIso(next.value) }
})

/** When a schedule with this time would run. */
export const previewOf = Effect.fnUntraced(function*(given: SchedulePreviewRequest) {
  const when = yield* givenWhen(given)
  const timezone = yield* zoneGiven(given.timezone ?? "UTC")
  const { next_run_at, ...plan } = yield* planOf(when, { now: yield* DateTime.now, timezone })
  return {
    ...plan,
    timezone,
    next_runs: nextRunsOf({ cron: plan.cron, next_run_at, timezone })
  } satisfies SchedulePreview
})
