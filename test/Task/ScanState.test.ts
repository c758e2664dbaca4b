import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import type { ClaimResult } from "../../src/Task/Claim/Claims.ts"
import {
  beforeScans,
  beginScan,
  endScan,
  failScan,
  forget,
  pauseAfter,
  type ScanState
} from "../../src/Task/Claim/ScanState.ts"

const shards = [1, 2, 3]

const begin = (state: ScanState, seconds: number, owned: ReadonlyArray<number> = shards) =>
  beginScan(state, owned, 4, BigInt(seconds + 100) * 1_000_000_000n)

const end = (state: ScanState, found: Partial<ClaimResult> = {}, isFull = false) =>
  endScan(state, { claims: [], hasMore: false, hasOrphans: false, after: "", ...found }, isFull)

/** How far back a scan goes, in seconds; undefined for a full one. */
const sinceOf = (state: ScanState) => state.scan?.since

/** Scans that each see everything. */
const scanned = (state: ScanState, seconds: number, owned?: ReadonlyArray<number>) => end(begin(state, seconds, owned))

describe("ScanState", () => {
  it("makes the first scan a full one, and each later one cover only what the last can't have seen", () => {
    assert.isUndefined(sinceOf(begin(beforeScans, 0)))
    const seen = scanned(beforeScans, 0)
    assert.strictEqual(sinceOf(begin(seen, 2)), 32)
    assert.strictEqual(sinceOf(begin(scanned(seen, 2), 3)), 31)
  })

  it("covers as much again after a scan that has not seen everything", () => {
    assert.isUndefined(sinceOf(begin(end(begin(beforeScans, 0), { hasOrphans: true }), 0)))
    const partly = end(begin(scanned(beforeScans, 0), 1), { hasMore: true })
    assert.strictEqual(sinceOf(begin(partly, 2)), 32)
  })

  it("visits the users in turn while more is due than a scan reads, and takes new users first every second time", () => {
    const long = end(begin(beforeScans, 0), { hasMore: true }, true)
    assert.isTrue(long.hasBacklog)
    const first = begin(long, 1)
    const second = begin(end(first, { after: "bob" }, true), 2)
    const third = begin(end(second, {}, true), 3)
    for (const { scan } of [first, second, third]) assert.isAbove(scan?.visits ?? 0, 0)
    assert.deepStrictEqual([first, second, third].map(({ scan }) => scan?.newest !== 0), [true, false, true])
    assert.strictEqual(second.after, "bob")
    const full = begin(end(third, {}, true), 11)
    assert.deepInclude(full.scan, { since: undefined, visits: 0 }, "a full one after ten seconds")
    assert.deepInclude(begin(end(full), 12).scan, { visits: 0, newest: 0 })
    assert.isFalse(end(full).hasBacklog)
  })

  it("makes a full scan as soon as the turns of all users leave a slot free", () => {
    const long = end(begin(beforeScans, 0), { hasMore: true })
    assert.isDefined(sinceOf(begin(end(begin(long, 1), {}, true), 2)), "a user has all that one may have")
    assert.isUndefined(sinceOf(begin(end(begin(long, 1)), 2)))
  })

  it("looks into the queues of living runners once shards are gained, else once a minute", () => {
    const first = begin(beforeScans, 0)
    assert.isTrue(first.scan?.allQueues)
    const second = begin(end(first), 11)
    assert.deepInclude(second.scan, { since: undefined, allQueues: false })
    assert.isTrue(begin(end(second), 12, [1, 2, 3, 4]).scan?.allQueues)
    assert.isTrue(begin(end(second), 61).scan?.allQueues)
  })

  it("makes a full scan once shards are gained, a task is released or ten seconds have passed", () => {
    const seen = scanned(beforeScans, 0)
    assert.isDefined(sinceOf(begin(seen, 0, [1, 2])), "fewer shards are no reason")
    assert.isUndefined(sinceOf(begin(scanned(seen, 0, [1, 2]), 0, [1, 2, 4])))
    assert.isUndefined(sinceOf(begin(forget(seen), 0)))
    assert.isDefined(sinceOf(begin(seen, 10)))
    assert.isUndefined(sinceOf(begin(scanned(seen, 10), 11)))
  })

  it("makes a full scan after one during which a task was released", () => {
    assert.isUndefined(sinceOf(begin(end(forget(begin(scanned(beforeScans, 0), 1))), 1)))
  })

  it("keeps after a failed scan what an earlier one has seen", () => {
    assert.strictEqual(sinceOf(begin(failScan(begin(scanned(beforeScans, 0), 1)), 2)), 32)
    assert.isUndefined(sinceOf(begin(failScan(begin(beforeScans, 0)), 1)))
  })

  it("keeps slots for the scan under way only, half of the free ones", () => {
    assert.strictEqual(begin(beforeScans, 0).scan?.asked, 2)
    assert.isNull(scanned(beforeScans, 0).scan)
    assert.isNull(failScan(begin(beforeScans, 0)).scan)
  })

  it("scans a third as often once nothing has run for fifteen seconds", () => {
    const seconds = (idle: number) => Duration.toSeconds(pauseAfter(Duration.seconds(1), idle * 1_000))
    assert.deepStrictEqual([0, 14, 15, 3_600].map(seconds), [1, 1, 3, 3])
  })
})
