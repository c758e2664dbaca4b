import { assert, describe, it } from "@effect/vitest"
import { shortage } from "../../src/Http/DiskSpace.ts"

const gib = 1024 ** 3

/** A disk with so many GiB left at each hour. */
const samples = (totalGib: number, ...freeGib: ReadonlyArray<number>) =>
  freeGib.map((free, hour) => ({ at: hour * 3_600_000, freeBytes: free * gib, totalBytes: totalGib * gib }))

describe("a disk", () => {
  it("with room that lasts is no problem", () => {
    assert.isNull(shortage("/data", []))
    assert.isNull(shortage("/data", samples(100, 50, 50, 50, 50)))
    assert.isNull(shortage("/data", samples(100, 50, 49.9, 49.8, 49.7, 49.6)))
    assert.isNull(shortage("/data", samples(100, 20, 30, 40, 50)))
  })

  it("that is nearly full is one, of a small and of a large disk", () => {
    assert.match(shortage("/data", samples(10, 0.9)) ?? "", /^The disk of \/data has 0\.9 GiB left\. Free some space/)
    assert.match(shortage("/data", samples(100, 4.9)) ?? "", /4\.9 GiB left/)
    assert.match(shortage("/data", samples(4000, 9)) ?? "", /9\.0 GiB left/)
    assert.isNull(shortage("/data", samples(4000, 11)))
  })

  it("that will be full within three days is one, with the pace, but not by a pace of less than three hours", () => {
    assert.match(
      shortage("/data", samples(100, 50, 49, 48, 47)) ?? "",
      /47\.0 GiB left, which lasts 47 h at the pace of the last 3 h/
    )
    assert.isNull(shortage("/data", samples(100, 50, 49, 48)))
  })
})
