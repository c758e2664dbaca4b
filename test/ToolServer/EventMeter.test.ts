import { assert, describe, it } from "@effect/vitest"
import { makeEventMeter } from "../../src/ToolServer/EventMeter.ts"

/** What a stream of events is charged with, and the size of its message after each chunk. */
const charged = (chunks: ReadonlyArray<string>) => {
  let bytes = 0
  let noise = 0
  const count = makeEventMeter({
    bytes: (count) => void (bytes += count),
    noise: () => void noise++,
    diagnostics: () => {},
    watch: () => {}
  })
  const sizes = chunks.map((chunk) => count(new TextEncoder().encode(chunk)))
  return { bytes, noise, sizes }
}

describe("A stream of events", () => {
  it("has comments and events without a field, which are noise", () => {
    assert.strictEqual(charged([":\n:\r:\r\n"]).noise, 3)
    assert.strictEqual(charged(["\n\n", "\r\n", "\r", "\n\r"]).noise, 5)
    assert.strictEqual(charged(["event: message\ndata: :{}\r\ndata: 1\n\n"]).noise, 0)
  })

  it("has events that are one message each, however many lines and chunks they have", () => {
    assert.deepStrictEqual(charged(["data: 1\n", "data: 2\n", "\nid", ": 1\n\n"]).sizes, [8, 16, 17, 7])
    assert.deepStrictEqual(charged(["data: 1\r\n\r\ndata: 1234\r\n\r\nid"]).sizes, [12])
  })

  it("counts as more than its bytes where its lines are short", () => {
    assert.strictEqual(charged(["id\n".repeat(1_000)]).bytes, 35_000)
  })
})
