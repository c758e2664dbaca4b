import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { makeLiveAnswer, splitThinking } from "../../src/Model/Thinking.ts"

const splits = (text: string, thinking: string, answer: string) => {
  const split = splitThinking(text)
  assert.deepStrictEqual([split.thinking, split.text], [thinking, answer])
}

describe("Thinking in the text of an answer", () => {
  it.each(["think", "thinking", "thought", "reasoning", "Think", "seed:think", "mm:think", "scratchpad"])(
    "is what <%s> encloses at the beginning",
    (name) => {
      splits(`<${name}>They want it short.</${name}>It is Friday.`, "They want it short.", "It is Friday.")
      splits(`\n<${name}>\nOne\n</${name}>\n\nIt is\n\nFriday.\n`, "One", "It is\n\nFriday.\n")
      splits(`They want it short.</${name}>It is Friday.`, "They want it short.", "It is Friday.")
    }
  )

  it.each([
    ["[THINK]", "[/THINK]"],
    ["◁think▷", "◁/think▷"],
    ["<|START_THINKING|>", "<|END_THINKING|>"],
    ["<|begin_of_thought|>", "<|end_of_thought|>"],
    ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>"],
    ["<|channel>thought", "<channel|>"]
  ])("is what the special tokens %s and %s enclose", (open, close) => {
    splits(`${open}They want it short.${close}It is Friday.`, "They want it short.", "It is Friday.")
    splits(`They want it short.${close}It is Friday.`, "They want it short.", "It is Friday.")
  })

  it("may be empty, repeated, unclosed, or opened twice", () => {
    splits("<think>\n\n</think>\n\nIt is Friday.", "", "It is Friday.")
    splits("<think>One</think>\n<thought>Two</thought>\nIt is Friday.", "One\n\nTwo", "It is Friday.")
    splits("<think>They want it sh", "They want it sh", "")
    splits("<think>\n<think>One</think>It is Friday.", "<think>One", "It is Friday.")
    splits("</think>It is Friday.", "", "It is Friday.")
    splits("One\n</think>\n\nIt is Friday.", "One", "It is Friday.")
    splits("So, in short. </think> it is Friday.", "So, in short.", "it is Friday.")
  })

  it("may begin a later line", () => {
    splits("Let me see.\n<think>\nOne\n</think>\n\nIt is Friday.", "One", "Let me see.\nIt is Friday.")
  })

  it.each([
    "It is Friday.",
    "  It is Friday.\n",
    "",
    "\n",
    "A model ends its thinking with `</think>` and then answers.",
    "A model ends its thinking with </think> and then answers.",
    "The tag \"</think>\" ends it.",
    "The tag <think> opens a thought and </think> closes it.",
    "Write:\n```xml\n<think>One</think>\n```\nThat is all.",
    "```\n<think>One</think>\n```",
    "Use\n<think> without an end.",
    "1 < 2 and [THIN ice] and <thin>",
    "<b>Bold</b> and <thinkpad>"
  ])("is not what an answer says about it: %j", (text) => {
    splits(text, "", text)
  })

  it("is left out of the live text, however the pieces are cut", () => {
    const parts = fc.constantFrom(
      "<think>",
      "</think>",
      "[THINK]",
      "[/THINK]",
      "\n",
      " ",
      "```",
      "`",
      "One",
      "It is Friday.",
      "<",
      "<th",
      "</"
    )
    const property = fc.property(
      fc.array(parts, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (some, sizes) => {
        const text = some.join("")
        const live = makeLiveAnswer(Number.POSITIVE_INFINITY)
        let shown = ""
        for (let at = 0, index = 0; at < text.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1
          shown += live(text.slice(at, at + size), false)
          at += size
        }
        assert.strictEqual(shown + live("", true), splitThinking(text).text)
      }
    )
    fc.assert(property, { numRuns: 2_000 })
  })

  it("is told in linear time", () => {
    const pieces = Array.from({ length: 20_000 }, () => "`</think>` says a </think> b\n")
    splits(pieces.join(""), "", pieces.join(""))
    const live = makeLiveAnswer(Number.POSITIVE_INFINITY)
    for (const piece of pieces) live(piece, false)
    live("", true)
  })

  it("holds nothing back from the live text where it is known to be marked", () => {
    const live = makeLiveAnswer(0)
    const shown = ["<thi", "nk>One</th", "ink>It ", "is Fri", "day."].map((delta) => live(delta, false))
    assert.deepStrictEqual(shown, ["", "", "It ", "is Fri", "day."])
  })
})
