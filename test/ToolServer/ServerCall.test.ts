import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { CallFailed, callLimitOf, callOver } from "../../src/ToolServer/ServerCall.ts"
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
        callOver({ ...program([]), timeoutSeconds }, timeouts, Effect.void, (_, timeout) => Effect.succeed(timeout))
      assert.strictEqual(Duration.toSeconds(yield* given(null)), 60)
      assert.strictEqual(Duration.toSeconds(yield* given(260)), 260)
      assert.strictEqual(Duration.toSeconds(yield* given(261)), 260)
    }))
})

describe("A call", () => {
  /** How often a call is made that fails so each time, the time that it has each time, and what it comes to. */
  const made = (what: CallFailed["what"]) =>
    Effect.gen(function*() {
      const limits: Array<number> = []
      const reach = TestClock.adjust("100 seconds")
      const failure = yield* Effect.flip(
        callOver({ ...program([]), timeoutSeconds: 600 }, timeouts, reach, (_, timeout) => {
          limits.push(Duration.toSeconds(timeout))
          return new CallFailed({ what, reason: "it failed" })
        })
      )
      return { limits, what: failure.what }
    })

  it.effect("that was not taken is made once more within the same limit, and then refused", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* made("untaken"), { limits: [160, 60], what: "refused" })
    }))

  it.effect("that may have been taken is made once", () =>
    Effect.gen(function*() {
      for (const what of ["refused", "timedOut", "lost"] as const) {
        assert.deepStrictEqual(yield* made(what), { limits: [160], what })
      }
    }))
})
