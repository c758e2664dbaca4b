import { assert, describe, it } from "@effect/vitest"
import { Duration, FastCheck } from "effect"
import { decide, failureReason, isSuspect, pauseAfter, type ProcessDeaths } from "../../src/Task/Row/ProcessDeaths.ts"

/** The default of TASK_SUSPECT_PAUSE. */
const first = Duration.seconds(5)
const maxCrashes = 3

const random = FastCheck.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const randoms = FastCheck.infiniteStream(random)

const seconds = (duration: Duration.Duration) => Duration.toSeconds(duration)

/**
 * A task that takes `step` seconds for its step, while its process ends at each of `kills` (seconds, ascending) and is
 * back at once. Answers whether the task failed, and when it was through or failed.
 */
const lifeUnder = (kills: Iterable<number>, step: number, dice: Iterator<number>) => {
  let count: ProcessDeaths = { deaths: 0, loneDeaths: 0, claimKind: null }
  let begins = 0
  for (const kill of kills) {
    if (kill < begins) continue
    if (kill >= begins + step) break
    const deaths = count.deaths + 1
    const loneDeaths = count.loneDeaths + (count.claimKind === "alone" ? 1 : 0)
    const decision = decide({ deaths, loneDeaths, claimKind: "recovered" }, maxCrashes)
    if (decision === "fail") return { failed: true, at: kill, deaths }
    begins = decision === "run" ? kill : kill + seconds(pauseAfter(deaths, first, dice.next().value))
    count = { deaths, loneDeaths, claimKind: decision === "run" ? "recovered" : "alone" }
  }
  return { failed: false, at: begins + step, deaths: count.deaths }
}

describe("Process deaths", () => {
  it.prop(
    "make no task fail when processes are killed for 77 seconds, at any rate and with any random pauses",
    [FastCheck.array(FastCheck.double({ min: 0, max: 77, noNaN: true }), { minLength: 48, maxLength: 200 }), randoms],
    ([kills, dice]) => {
      assert.isFalse(lifeUnder(kills.toSorted((one, other) => one - other), 300, dice).failed)
    },
    { fastCheck: { numRuns: 500 } }
  )

  it.prop("make a task fail that ends its process at every try, within six minutes", [randoms], ([dice]) => {
    const everySecond = Array.from({ length: 1_000 }, (_, second) => second)
    const { at, deaths, failed } = lifeUnder(everySecond, Infinity, dice)
    assert.isTrue(failed)
    assert.strictEqual(deaths, 2 + maxCrashes + 1)
    assert.isAtMost(at, 360)
  })

  it.prop(
    "are followed by pauses that triple up to five minutes, within half of that at random",
    [FastCheck.integer({ min: 2, max: 10_000 }), random],
    ([deaths, dice]) => {
      const exact = Math.min(5 * 3 ** (deaths - 2), 300)
      const pause = seconds(pauseAfter(deaths, first, dice))
      assert.isAtLeast(pause, exact * 0.5)
      assert.isAtMost(pause, exact * 1.5)
    }
  )

  it("decide only where a process has ended, and not at the first time", () => {
    const decision = (claimKind: ProcessDeaths["claimKind"], deaths: number, loneDeaths: number) =>
      decide({ claimKind, deaths, loneDeaths }, maxCrashes)
    assert.strictEqual(decision("recovered", 1, 0), "run")
    assert.strictEqual(decision("recovered", 2, 0), "pause")
    assert.strictEqual(decision("recovered", 50, maxCrashes), "pause")
    assert.strictEqual(decision("recovered", 6, maxCrashes + 1), "fail")
    for (const kind of [null, "moved", "alone"] as const) assert.strictEqual(decision(kind, 9, 9), "run")
    assert.deepStrictEqual([0, 1, 2].map(isSuspect), [false, false, true])
  })

  it("are reported with their number, the time and what to do", () => {
    assert.strictEqual(
      failureReason({ deaths: 6, loneDeaths: 4, claimKind: "recovered" }, Date.UTC(2025, 0, 2, 3, 4, 5)),
      "The process that ran this task ended 4 times during this step while no other task was being recovered "
        + "(last noticed at 2025-01-02T03:04:05.000Z): the step probably takes more memory than the process has, or "
        + "crashes it. Look at the service's log of that time, then retry the task."
    )
  })
})
