import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { callLimitOf, withTimeout } from "../../src/ToolServer/ServerCall.ts"
import { program } from "../support/ToolServerFixture.ts"

const timeouts = { callTimeout: Duration.seconds(60), callLimit: callLimitOf(Duration.minutes(5)) }

describe("The time-out of a call", () => {
  it("leaves a step time to save the result, however short the step is", () => {
    const limits = [600, 300, 20, 1].map((seconds) => Duration.toSeconds(callLimitOf(Duration.seconds(seconds))))
    assert.deepStrictEqual(limits, [530, 260, 10, 0.5])
  })

  it.effect("is the server's own, or else the default, as long as the step lasts longer", () =>
    Effect.gen(function*() {
      const given = (timeoutSeconds: number | null) =>
        withTimeout({ ...program([]), timeoutSeconds }, timeouts, Effect.succeed)
      assert.strictEqual(Duration.toSeconds(yield* given(null)), 60)
      assert.strictEqual(Duration.toSeconds(yield* given(260)), 260)
      assert.strictEqual(Duration.toSeconds(yield* given(261)), 260)
    }))
})
