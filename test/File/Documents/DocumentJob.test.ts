import { assert, describe, it } from "@effect/vitest"
import { textWindow } from "../../../src/File/Documents/DocumentJob.ts"

const text = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join("\n")

describe("A window of a document's text", () => {
  it("holds the requested lines and the number of all lines", () => {
    assert.deepStrictEqual(textWindow(text, { offset: 4_998, limit: 10, maxChars: 100 }), {
      text: "line 4998\nline 4999",
      lines: 2,
      total: 5_000,
      cut: false
    })
    assert.deepInclude(textWindow(text, { offset: 9_000, limit: 1, maxChars: 3 }), { text: "", lines: 0 })
    assert.deepInclude(textWindow("a\n\nb\n\n", { offset: 1, limit: 9, maxChars: 9 }), { text: "\nb", total: 3 })
    assert.deepInclude(textWindow("", { offset: 0, limit: 1, maxChars: 3 }), { lines: 0, total: 0 })
  })

  it("ends with a whole line, unless a single one is too long", () => {
    assert.deepInclude(textWindow(text, { offset: 9, limit: 10, maxChars: 20 }), { text: "line 9\nline 10", lines: 2 })
    assert.deepInclude(textWindow(text, { offset: 0, limit: 1, maxChars: 3 }), { text: "lin", lines: 1, cut: true })
  })
})
