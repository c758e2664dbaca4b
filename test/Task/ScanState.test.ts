import { assert, describe, it } from "@effect/vitest"
import { beforeScans, beginScan, endScan, failScan, forget, type ScanState } from "../../src/Task/Claim/ScanState.ts"

const shards = [1, 2, 3]

const begin = (state: ScanState, seconds: number, owned: ReadonlyArray<number> = shards) =>
  beginScan(state, owned, 4, BigInt(seconds + 100) * 1_000_000_000n)

const end = (state: ScanState, hasMore = false) => endScan(state, { claims: [], hasMore }, false)

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
    assert.isUndefined(sinceOf(begin(end(begin(beforeScans, 0), true), 0)))
    const partly = end(begin(scanned(beforeScans, 0), 1), true)
    assert.strictEqual(sinceOf(begin(partly, 2)), 32)
    assert.strictEqual(sinceOf(begin(scanned(partly, 2), 2)), 30)
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
})
