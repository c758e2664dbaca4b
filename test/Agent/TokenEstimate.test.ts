import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect } from "effect"
import { loadTokenizer } from "../../src/Agent/TokenEstimate.ts"

/** Texts, and how many tokens another implementation (js-tiktoken 1.0.21) counts in forty of them. */
const texts: Readonly<Record<string, readonly [text: string, tokens: number]>> = {
  English: [
    "The worker that owns a shard wakes its due tasks, oldest first, and each of them goes on where it stopped. ",
    961
  ],
  Chinese: ["今天天气很好，我们决定去公园散步。路上遇到了一位老朋友，他告诉我们最近在学习人工智能。", 1_160],
  "JSON in one line": [
    "{\"name\":\"troupe\",\"dependencies\":{\"@effect/platform\":\"0.97.2\"},\"engines\":{\"node\":\">=20.19.0\"}},",
    1_281
  ]
}

describe("The tokenizer", () => {
  for (const [name, [text, tokens]] of Object.entries(texts)) {
    it.effect(`estimates ${name} within 5%`, () =>
      Effect.gen(function*() {
        const { ofText } = yield* loadTokenizer
        const estimate = ofText(text.repeat(40))
        assert.isAtMost(Math.abs(estimate / tokens - 1), 0.05, `${estimate} for ${tokens}`)
      }))
  }

  it.effect("counts what looks like a special token as text", () =>
    Effect.gen(function*() {
      const { ofText } = yield* loadTokenizer
      assert.isAbove(ofText("<|endoftext|>"), 1)
    }))

  it.effect("takes time in proportion to a text without any word boundary", () =>
    Effect.gen(function*() {
      const { ofText } = yield* loadTokenizer
      const run = "中文字符测试".repeat(2_000)
      // In one piece it takes seconds; that the pieces are counted apart shows in the sum.
      assert.strictEqual(ofText(run.repeat(8)), ofText(run) * 8)
    }))

  it.effect("counts pictures and the overhead of a message", () =>
    Effect.gen(function*() {
      const { ofMessage, ofText } = yield* loadTokenizer
      const images = [{ path: "a.png", media_type: "image/png", size: null, digest: null }]
      const picture: Message = { role: "user", content: "Look", images }
      assert.strictEqual(ofMessage(picture), ofText("Look") + 1_004)
    }))
})
