import { assert, describe, it } from "@effect/vitest"
import { Duration, FastCheck } from "effect"
import { callTimeOf } from "../../src/Tool/CallTime.ts"

const seconds = FastCheck.integer({ min: 15, max: 86_400 })

describe("The time of a call", () => {
  it("is 600 seconds at most, or what the step of its kind of agent leaves", () => {
    const timeouts = { parent: Duration.minutes(5), subagent: Duration.hours(1) }
    assert.strictEqual(callTimeOf(timeouts, "task").maxSeconds, 260)
    assert.strictEqual(callTimeOf(timeouts, "subtask").maxSeconds, 600)
    assert.strictEqual(callTimeOf({ ...timeouts, parent: Duration.seconds(1) }, "task").maxSeconds, 1)
  })

  it.prop("ends before its step, and later than the limit that its arguments may set", [seconds], ([step]) => {
    const timeouts = { parent: Duration.seconds(step), subagent: Duration.infinity }
    const { maxSeconds, timeout } = callTimeOf(timeouts, "task")
    assert.isTrue(maxSeconds >= 1 && maxSeconds <= 600)
    assert.isAbove(Duration.toSeconds(timeout), maxSeconds)
    assert.isBelow(Duration.toSeconds(timeout), step)
  })
})
