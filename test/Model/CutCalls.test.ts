import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { metered, OnModelCut } from "../../src/Model/CutCalls.ts"
import { type ModelRequest, ModelUnavailable, tokensOf, type UsedTokens } from "../../src/Model/Model.ts"
import { hanging, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"

const text = "x".repeat(400)
const request: ModelRequest = {
  system: text,
  messages: [{ role: "user", content: text }],
  tools: { tools: [{ name: "look", description: text, parameters: {} }] },
  onText: () => Effect.void
}
const broken = new ModelUnavailable({ provider: "openai", reason: "It broke off" })

/** Gets a text of 40 characters before the turn. */
const writes = (turn: Turn): Turn => ({ onText = () => Effect.void, ...rest }) =>
  Effect.zipRight(onText("y".repeat(40)), turn(rest))

const playing = (generate: Turn) => ({ ...scriptedModel().model, generate })

/** The tokens of a call that is interrupted once it hangs, after these attempts. */
const cut = (attempts: ReadonlyArray<Turn>, given: ModelRequest = request) =>
  Effect.gen(function*() {
    const told: Array<UsedTokens> = []
    const turns = [...attempts]
    const call = metered(
      playing((sent) => (turns.shift() ?? says("Done."))(sent)),
      given,
      (attempt) => Effect.retry(attempt, { times: 5 })
    )
    const fiber = yield* Effect.fork(Effect.provideService(call, OnModelCut, (tokens) => void told.push(tokens)))
    yield* Effect.repeat(Effect.yieldNow(), { until: () => turns.length === 0 })
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    yield* Fiber.interrupt(fiber)
    return told
  })

describe("A call of the model that is cut off", () => {
  it.effect("counts what it sent and the text that it got, by estimate", () =>
    Effect.gen(function*() {
      const [tokens, ...others] = yield* cut([writes(hanging().turn)])
      assert.deepStrictEqual(others, [])
      // 800 characters of text and some 450 of the tool; a token has four.
      assert.isAtLeast(tokens?.[0] ?? 0, 300)
      assert.isAtMost(tokens?.[0] ?? 0, 330)
      assert.strictEqual(tokens?.[1], 10)
    }))

  it.effect("counts its earlier attempts, too, by their provider's figures where there are some", () =>
    Effect.gen(function*() {
      const [once] = yield* cut([writes(hanging().turn)])
      const [twice] = yield* cut([writes(() => Effect.fail(broken)), writes(hanging().turn)])
      assert.deepStrictEqual(twice, [2 * (once?.[0] ?? 0), 20])
      const counted = new ModelUnavailable({ ...broken, tokens: [7, 3] })
      assert.deepStrictEqual(yield* cut([writes(() => Effect.fail(counted)), hanging().turn]), [[7, 3]])
    }))

  it.effect("counts nothing before it got text, or where its text is not streamed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* cut([hanging().turn]), [])
      const { onText: _, ...whole } = request
      assert.deepStrictEqual(yield* cut([hanging().turn], whole), [])
    }))

  it.effect("fails with the tokens of a stream that broke off, and is answered with the provider's figures alone", () =>
    Effect.gen(function*() {
      const once = <A>(attempt: A) => attempt
      const error = yield* Effect.flip(metered(playing(writes(() => Effect.fail(broken))), request, once))
      assert.strictEqual(tokensOf(error)?.[1], 10)
      const answer = yield* metered(playing(writes(says("Done."))), request, once)
      assert.deepInclude(answer, { inputTokens: 10, outputTokens: 5 })
    }))
})
