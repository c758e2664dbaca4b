import type { WorkHealth, WorkState } from "@troupe/domain/Unattended"
import { DateTime } from "effect"

const minute = 60_000
const hour = 60 * minute

/** How a task of unattended work ended. */
export interface Result {
  readonly at: number
  /** Null: it worked. */
  readonly error: string | null
}

/** What a look found, before it is compared with the look before. */
export interface Finding {
  readonly state: WorkState
  readonly lastOkAt: number | null
  readonly lastError: string | null
  readonly failures: number
  readonly missed: number
}

/** After so many failures in a row, work is failing. */
export const failingFrom = 3

const ok: Finding = { state: "ok", lastOkAt: null, lastError: null, failures: 0, missed: 0 }

/** Of results, newest first: the failures since one worked. */
const ofResults = (results: ReadonlyArray<Result>): Finding => {
  const worked = results.findIndex(({ error }) => error === null)
  const failures = worked === -1 ? results.length : worked
  return {
    state: failures >= failingFrom ? "failing" : "ok",
    lastOkAt: results[worked]?.at ?? null,
    lastError: failures === 0 ? null : results[0]?.error ?? null,
    failures,
    missed: 0
  }
}

export interface SeenSchedule {
  /** When it should run next; in the past: the run is missing. Null: it is paused. */
  readonly nextRunAt: number | null
  /** Of one that recurs: the runs planned after `nextRunAt`, at most 100. Of one that runs once: none. */
  readonly following: ReadonlyArray<number>
  readonly recurs: boolean
  /** Attempts to begin the missing run that failed. */
  readonly attempts: number
  /** When a reminder last came; null for tasks. */
  readonly remindedAt: number | null
  readonly results: ReadonlyArray<Result>
}

/** Late: the run is missing for two periods or 10 minutes, whichever is more. */
export const scheduleFinding = (
  { attempts, following, nextRunAt, recurs, remindedAt, results }: SeenSchedule,
  now: number
): Finding => {
  const found = { ...ofResults(results), ...remindedAt === null ? {} : { lastOkAt: remindedAt } }
  const error = `Its run could not begin in ${
    attempts === 1 ? "one attempt" : `${attempts} attempts`
  }; the log of the service says why.`
  if (nextRunAt === null) {
    return { ...found, state: "failing", lastError: error, failures: Math.max(found.failures, attempts) }
  }
  const secondNext = following[1] ?? nextRunAt
  const isLate = now >= nextRunAt + 10 * minute && (!recurs || now >= secondNext)
  return !isLate ? found : {
    ...found,
    state: "late",
    lastError: attempts === 0 ? found.lastError : error,
    missed: 1 + following.filter((at) => at <= now).length
  }
}

/** What is remembered of the deliveries of a type. */
export interface Deliveries {
  readonly lastAt: number | null
  /** From when on silence counts. */
  readonly silentFrom: number | null
  /** Milliseconds; null before two deliveries. */
  readonly longestGap: number | null
}

export const noDeliveries: Deliveries = { lastAt: null, silentFrom: null, longestGap: null }

/** Looks that are further apart than this have missed deliveries: the service did not run. */
const unwatched = 15 * minute

/**
 * What is remembered after a look. `newer`: the times of the deliveries since the last one, in any order. Time in which nobody
 * looked is no silence.
 */
export const withDeliveries = (
  before: Deliveries,
  newer: ReadonlyArray<number>,
  { lookedAt, now }: { readonly now: number; readonly lookedAt: number | null }
): Deliveries => {
  const away = lookedAt === null || now - lookedAt < unwatched ? 0 : now - lookedAt
  const silentFrom = before.silentFrom === null ? null : Math.min(now, before.silentFrom + away)
  const times = newer.toSorted((one, other) => one - other)
  const last = times.at(-1)
  if (last === undefined) return { ...before, silentFrom }
  const gaps = times.flatMap((at, index) => {
    const previous = index === 0 ? silentFrom : times[index - 1]
    return previous === null || previous === undefined ? [] : [at - previous]
  })
  return {
    lastAt: last,
    silentFrom: last,
    longestGap: gaps.length === 0 ? before.longestGap : Math.max(before.longestGap ?? 0, ...gaps)
  }
}

/** Silent: no delivery for three times the longest gap, at least 24 hours. */
export const webhookFinding = (
  { lastAt, longestGap, silentFrom }: Deliveries,
  results: ReadonlyArray<Result>,
  now: number
): Finding => {
  const found = ofResults(results)
  const isSilent = silentFrom !== null && longestGap !== null && now - silentFrom >= Math.max(24 * hour, 3 * longestGap)
  const lastOkAt = found.failures === 0 ? lastAt : found.lastOkAt
  return { ...found, lastOkAt, state: found.state === "ok" && isSilent ? "silent" : found.state }
}

export interface SeenMailbox {
  /** When it was last read, or first missed. */
  readonly readAt: number
  readonly interval: number
  readonly error: string | null
  /** The failed attempts in a row, this one included. */
  readonly failures: number
}

/** Late: it was not read for two intervals or 10 minutes, whichever is more; a reading may itself last one. */
export const mailboxFinding = ({ error, failures, interval, readAt }: SeenMailbox, now: number): Finding => ({
  ...ok,
  lastOkAt: error === null && failures === 0 ? readAt : null,
  lastError: error,
  failures,
  state: now - readAt > Math.max(2 * interval, 10 * minute) + interval
    ? "late"
    : failures >= failingFrom
    ? "failing"
    : "ok"
})

/** `failures`: looks in a row that found the connection failed. */
export const connectionFinding = (error: string | null, failures: number, now: number): Finding =>
  error === null
    ? { ...ok, lastOkAt: now }
    : { ...ok, state: failures >= failingFrom ? "failing" : "ok", lastError: error, failures }

const iso = (at: number): string => DateTime.formatIso(DateTime.unsafeMake(at))

/** The milliseconds of a time as the API has it. */
export const millisOf = (at: string): number => DateTime.unsafeMake(at).epochMillis

/** The health after a look; what it does not know stays as it was. */
export const healthAfter = (before: WorkHealth | null, found: Finding, now: number): WorkHealth => ({
  state: found.state,
  since: before?.state === found.state && before.since !== null ? before.since : iso(now),
  last_ok_at: found.lastOkAt === null ? before?.last_ok_at ?? null : iso(found.lastOkAt),
  last_error: found.lastError,
  failures_in_a_row: found.failures,
  missed: found.missed
})

/** Whether a health need be written: of one that goes on well, its time is enough once in five minutes. */
export const isNews = (before: WorkHealth | null, after: WorkHealth): boolean =>
  before === null
  || before.state !== after.state
  || before.last_error !== after.last_error
  || before.failures_in_a_row !== after.failures_in_a_row
  || before.missed !== after.missed
  || (after.last_ok_at !== null
    && (before.last_ok_at === null || Math.abs(millisOf(after.last_ok_at) - millisOf(before.last_ok_at)) >= 5 * minute))
