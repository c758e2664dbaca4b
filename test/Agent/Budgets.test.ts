import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect, FastCheck as fc } from "effect"
import { closingReserve, mayPrepare } from "../../src/Agent/CallBudget.ts"
import { fittedTranscript } from "../../src/Agent/TokenBudget.ts"
import { loadTokenizer } from "../../src/Agent/TokenEstimate.ts"
import { runsOf } from "../support/PropertyRuns.ts"
import { cases, holds } from "./budgets.ts"

describe("A token budget", () => {
  it.effect(
    "is not exceeded, is used, and ends with the agent's own answer, for any task",
    () =>
      Effect.gen(function*() {
        const tokenizer = yield* loadTokenizer
        const check = fc.asyncProperty(cases, (given) => Effect.runPromise(holds(tokenizer, given)))
        yield* Effect.promise(() => fc.assert(check, { numRuns: runsOf(60) }))
      }),
    120_000
  )

  it("allows a preparing call only when a call with tools fits after it", () => {
    const next = { input: 3_000, closingPrompt: 1_000, conversation: 1_000 }
    const need = Math.ceil(3_000 * 1.05) + closingReserve(1_000) + 1_024
    const weights = { input: 1, output: 1 }
    assert.isTrue(mayPrepare({ left: need + 1_050, weights }, [1_000, 0], next))
    assert.isFalse(mayPrepare({ left: need + 1_049, weights }, [1_000, 0], next))
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
