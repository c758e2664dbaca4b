import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect, FastCheck as fc } from "effect"
import { closingReserve, fittedTranscript, mayPrepare, minAnswer, planCall } from "../../src/Agent/TokenBudget.ts"
import { loadTokenizer } from "../../src/Agent/TokenEstimate.ts"

const sizes = fc.record({
  prompt: fc.nat(30_000),
  closingPrompt: fc.nat(6_000),
  conversation: fc.nat(60_000)
}).map(({ prompt, ...rest }) => ({ ...rest, input: prompt + rest.conversation }))

describe("The plan of a call", () => {
  it.prop(
    "never lets input and answer pass what is left",
    [fc.nat(120_000), fc.boolean(), sizes],
    ([left, first, at]) => {
      const plan = planCall(left, first, at)
      if (plan._tag === "Working") assert.isAtMost(at.input + plan.maxOutput, left)
      if (plan._tag === "Closing") {
        assert.isAtMost(at.closingPrompt + (plan.transcript ?? at.conversation) + plan.maxOutput, left)
        assert.isAtLeast(plan.maxOutput, minAnswer)
      }
    }
  )

  it.prop("always leaves room for a last call, even if the estimate is 5% too low", [fc.nat(120_000), sizes], (
    [left, at]
  ) => {
    const plan = planCall(left, false, at)
    if (plan._tag !== "Working") return
    const actual = Math.ceil((at.input) * 1.05) + plan.maxOutput
    const after = planCall(left - actual, false, { ...at, conversation: 1_000_000 })
    assert.strictEqual(after._tag, "Closing")
  })

  it.prop("ends only when no call fits", [fc.nat(120_000), sizes], ([left, at]) => {
    const plan = planCall(left, false, at)
    if (plan._tag === "Exhausted") assert.isBelow(left, plan.needed)
    if (plan._tag === "Exhausted") assert.isBelow(left, at.closingPrompt + at.conversation + minAnswer)
  })

  it("refuses the first call when it does not fit with its tools, with its size", () => {
    const at = { input: 5_100, closingPrompt: 900, conversation: 100 }
    assert.deepStrictEqual(planCall(4_000, true, at), { _tag: "Unaffordable", needed: 5_100 + minAnswer })
    assert.strictEqual(planCall(4_000, false, at)._tag, "Closing")
  })

  it("allows a preparing call only when a call with tools fits after it", () => {
    const next = { input: 3_000, closingPrompt: 1_000, conversation: 1_000 }
    const need = Math.ceil(3_000 * 1.05) + closingReserve(1_000) + 1_024
    assert.isTrue(mayPrepare(need + 1_050, 1_000, next))
    assert.isFalse(mayPrepare(need + 1_049, 1_000, next))
  })

  it.effect("fits any conversation into a transcript, with what is asked for at its end", () =>
    Effect.map(loadTokenizer, (tokenizer) => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.constantFrom("a word ", "测试", "{\"k\": 1}, "), fc.integer({ min: 1, max: 3_000 })), {
            maxLength: 60
          }),
          fc.integer({ min: 300, max: 4_000 }),
          (parts, tokens) => {
            const messages = parts.map(([text, times]): Message => ({ role: "user", content: text.repeat(times) }))
            const transcript = fittedTranscript(tokenizer, messages, "Answer now.", tokens)
            assert.isAtMost(tokenizer.ofText(transcript), tokens)
            assert.isTrue(transcript.endsWith("</conversation>\n\nAnswer now."))
          }
        ),
        { numRuns: 20 }
      )
    }))
})
