import { assert, it } from "@effect/vitest"
import { safeJson, safeLine, safeText } from "@troupe/cli/Format"
import { FastCheck } from "effect"

const sequences = [
  "\u001b[2J\u001b[31mred",
  "\u001b]0;title\u0007",
  "\u009b31mred",
  "over\rwritten",
  "back\b\b\b\bgone",
  "\u001b]8;;http://evil\u001b\\link",
  "a\u202eb\u2066c"
]

it("No text of a task sends a control character or reorders a line", () => {
  for (const text of sequences) assert.notMatch(safeText(text), /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
  assert.strictEqual(safeText("\u001b[31m\u0000\u007f\u009b"), "\u241b[31m\u2400\u2421\ufffd")
  assert.strictEqual(safeText("one\r\ntwo\tthree"), "one\ntwo\tthree")
  assert.strictEqual(safeText("日本 👩‍👩‍👧 é"), "日本 👩‍👩‍👧 é")
})

it.prop(
  "Whatever is shown holds no control characters, and a line is one line",
  [FastCheck.fullUnicodeString()],
  ([
    text
  ]) => {
    assert.notMatch(safeText(text), /[^\P{Cc}\n\t]/u)
    assert.notMatch(safeLine(text, 20), /\p{Cc}/u)
    assert.isAtMost(safeLine(text, 20).length, 20)
  }
)

it.prop("JSON holds no control characters, and means the same", [FastCheck.fullUnicodeString()], ([text]) => {
  const json = safeJson({ text, list: [text] })
  assert.notMatch(json, /\p{Cc}/u)
  assert.deepStrictEqual(JSON.parse(json), { text, list: [text] })
})
