import { assert, describe, it } from "@effect/vitest"
import { unseenHealth } from "@troupe/domain/Unattended"
import {
  connectionFinding,
  type Deliveries,
  healthAfter,
  isNews,
  mailboxFinding,
  noDeliveries,
  type Result,
  scheduleFinding,
  type SeenSchedule,
  webhookFinding,
  withDeliveries
} from "../../../src/Intake/Unattended/Judgement.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Date.parse("2026-03-02T12:00:00.000Z")

/** Ends of tasks, newest first: `x` failed, `o` worked. */
const ends = (text: string): ReadonlyArray<Result> =>
  [...text].map((end, index) => ({ at: now - index * hour, error: end === "x" ? `failure ${index}` : null }))

const schedule = (more: Partial<SeenSchedule> = {}): SeenSchedule => ({
  nextRunAt: now + hour,
  following: [],
  recurs: true,
  attempts: 0,
  remindedAt: null,
  results: [],
  ...more
})

/** A run that is missing for so long, of a schedule with this period. */
const missing = (late: number, period: number, more: Partial<SeenSchedule> = {}) =>
  schedule({
    nextRunAt: now - late,
    following: Array.from({ length: 100 }, (_, index) => now - late + (index + 1) * period),
    ...more
  })

describe("A schedule", () => {
  for (
    const [results, state, failures] of [
      ["", "ok", 0],
      ["x", "ok", 1],
      ["xx", "ok", 2],
      ["xxx", "failing", 3],
      ["xxxxo", "failing", 4],
      ["oxxx", "ok", 0],
      ["xxoxxx", "ok", 2]
    ] as const
  ) {
    it(`is ${state} when its last tasks, newest first, ended ${results === "" ? "not at all" : results}`, () => {
      const found = scheduleFinding(schedule({ results: ends(results) }), now)
      assert.deepStrictEqual([found.state, found.failures], [state, failures])
      assert.strictEqual(found.lastError, failures === 0 ? null : "failure 0")
    })
  }

  for (
    const [late, period, state, missed] of [
      [9 * minute, minute, "ok", 0],
      [10 * minute, minute, "late", 11],
      [10 * minute, 5 * minute, "late", 3],
      [19 * minute, 10 * minute, "ok", 0],
      [20 * minute, 10 * minute, "late", 3],
      [47 * hour, day, "ok", 0],
      [48 * hour, day, "late", 3]
    ] as const
  ) {
    it(`of every ${period / minute} minutes is ${state} after ${late / minute} minutes without its run`, () => {
      const found = scheduleFinding(missing(late, period), now)
      assert.deepStrictEqual([found.state, found.missed], [state, missed])
    })
  }

  it("that runs once is late after 10 minutes", () => {
    const once = (late: number) => scheduleFinding(missing(late, day, { recurs: false, following: [] }), now)
    assert.deepStrictEqual([once(9 * minute).state, once(10 * minute).state], ["ok", "late"])
    assert.strictEqual(once(10 * minute).missed, 1)
  })

  it("whose runs can't begin says so, and is failing once it was paused for it", () => {
    assert.include(scheduleFinding(missing(hour, minute, { attempts: 3 }), now).lastError ?? "", "3 attempts")
    assert.strictEqual(scheduleFinding(schedule({ nextRunAt: null, attempts: 7 }), now).state, "failing")
  })

  it("of reminders has worked when it last reminded", () => {
    assert.strictEqual(scheduleFinding(schedule({ remindedAt: now - hour }), now).lastOkAt, now - hour)
  })
})

describe("A type of webhooks", () => {
  const known = (quiet: number, longestGap: number | null): Deliveries => ({
    lastAt: now - quiet,
    silentFrom: now - quiet,
    longestGap
  })
  for (
    const [quiet, gap, state] of [
      [23 * hour, hour, "ok"],
      [24 * hour, hour, "silent"],
      [29 * hour, 10 * hour, "ok"],
      [30 * hour, 10 * hour, "silent"],
      [100 * day, null, "ok"]
    ] as const
  ) {
    it(`whose longest gap was ${gap === null ? "none" : gap / hour} hours is ${state} after ${quiet / hour} hours`, () => {
      assert.strictEqual(webhookFinding(known(quiet, gap), [], now).state, state)
    })
  }

  it("that never had a delivery is ok", () => {
    assert.strictEqual(webhookFinding(noDeliveries, [], now).state, "ok")
  })

  it("is failing, rather than silent, when three of its tasks failed", () => {
    assert.strictEqual(webhookFinding(known(50 * hour, hour), ends("xxx"), now).state, "failing")
  })

  it("remembers its longest gap", () => {
    const first = withDeliveries(noDeliveries, [now, now - 5 * hour, now - 6 * hour], { now, lookedAt: null })
    assert.deepStrictEqual(first, { lastAt: now, silentFrom: now, longestGap: 5 * hour })
    const later = now + 7 * hour
    const next = withDeliveries(first, [later], { now: later, lookedAt: later - minute })
    assert.strictEqual(next.longestGap, 7 * hour)
    const last = withDeliveries(next, [later + minute], { now: later + minute, lookedAt: later })
    assert.strictEqual(last.longestGap, 7 * hour)
  })

  it("is not silent for the time in which the service did not run", () => {
    const before = known(hour, hour)
    const later = now + 10 * day
    const after = withDeliveries(before, [], { now: later, lookedAt: now })
    assert.strictEqual(webhookFinding(after, [], later).state, "ok")
    const delivered = withDeliveries(after, [later + hour], { now: later + hour, lookedAt: later + hour - minute })
    assert.strictEqual(delivered.longestGap, 2 * hour)
  })
})

describe("A mailbox", () => {
  const seen = (age: number, failures: number) =>
    mailboxFinding({ readAt: now - age, interval: minute, error: failures === 0 ? null : "refused", failures }, now)
  for (
    const [age, failures, state] of [
      [minute, 0, "ok"],
      [11 * minute, 0, "ok"],
      [12 * minute, 0, "late"],
      [minute, 2, "ok"],
      [minute, 3, "failing"]
    ] as const
  ) {
    it(`that was read ${age / minute} minutes ago, ${failures} times in vain, is ${state}`, () => {
      assert.strictEqual(seen(age, failures).state, state)
    })
  }
})

describe("The connection of a tool server", () => {
  it("is failing after three looks that found it failed", () => {
    const states = [null, "refused"].flatMap((error) =>
      [1, 2, 3].map((times) => connectionFinding(error, times, now).state)
    )
    assert.deepStrictEqual(states, ["ok", "ok", "ok", "ok", "ok", "failing"])
  })
})

describe("The health", () => {
  const found = (state: "failing" | "ok") => ({ ...scheduleFinding(schedule(), now), state })
  it("keeps since when a state lasts, and when it last worked", () => {
    const failing = healthAfter({ ...unseenHealth, last_ok_at: "2026-01-01T00:00:00.000Z" }, found("failing"), now)
    assert.deepInclude(failing, { since: "2026-03-02T12:00:00.000Z", last_ok_at: "2026-01-01T00:00:00.000Z" })
    assert.strictEqual(healthAfter(failing, found("failing"), now + hour).since, failing.since)
    assert.strictEqual(healthAfter(failing, found("ok"), now + hour).since, "2026-03-02T13:00:00.000Z")
  })

  it("is written when it changes, and of one that goes on well once in five minutes", () => {
    const well = { ...unseenHealth, last_ok_at: "2026-03-02T12:00:00.000Z" }
    assert.isTrue(isNews(null, well))
    assert.isFalse(isNews(well, { ...well, last_ok_at: "2026-03-02T12:04:59.000Z" }))
    assert.isTrue(isNews(well, { ...well, last_ok_at: "2026-03-02T12:05:00.000Z" }))
    assert.isTrue(isNews(well, { ...well, failures_in_a_row: 1 }))
  })
})
