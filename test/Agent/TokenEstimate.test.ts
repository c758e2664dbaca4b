import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import { Effect } from "effect"
import { getEncoding } from "js-tiktoken"
import { readFileSync } from "node:fs"
import { loadTokenizer } from "../../src/Agent/TokenEstimate.ts"

/** Another implementation of the tokenizer than the one that estimates. */
const reference = getEncoding("o200k_base")
const counted = (text: string): number => reference.encode(text, [], []).length

const source = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const texts: Readonly<Record<string, string>> = {
  English: "The worker that owns a shard wakes its due tasks, oldest first, and each of them goes on where it stopped. "
    .repeat(40),
  German:
    "Die Rechtsschutzversicherungsgesellschaft prüft größere Schäden in München; Rückfragen beantworten wir gern. "
      .repeat(40),
  Chinese: "今天天气很好，我们决定去公园散步。路上遇到了一位老朋友，他告诉我们最近在学习人工智能。".repeat(60),
  code: source("src/Agent/ToolStep.ts"),
  JSON: source("package.json").repeat(3),
  "JSON in one line": JSON.stringify(JSON.parse(source("package.json"))).repeat(3)
}

describe("The tokenizer", () => {
  for (const [name, text] of Object.entries(texts)) {
    it.effect(`estimates ${name} within 5%`, () =>
      Effect.gen(function*() {
        const { ofText } = yield* loadTokenizer
        const actual = counted(text)
        assert.isAtMost(Math.abs(ofText(text) / actual - 1), 0.05, `${ofText(text)} for ${actual}`)
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

  it.effect("counts calls, pictures and the overhead of a message", () =>
    Effect.gen(function*() {
      const { ofMessage, ofText } = yield* loadTokenizer
      const images = [{ path: "a.png", media_type: "image/png", size: null, digest: null }]
      const picture: Message = { role: "user", content: "Look", images }
      assert.strictEqual(ofMessage(picture), ofText("Look") + 1_004)
      assert.strictEqual(ofMessage(picture), ofText("Look") + 1_004)
    }))
})
