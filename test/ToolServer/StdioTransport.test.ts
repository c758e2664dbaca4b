import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { makeLineReader } from "../../src/ToolServer/StdioTransport.ts"

describe("Lines", () => {
  it("are put together whatever the pieces are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string().filter((text) => !/[\r\n]/.test(text))),
        fc.integer({ min: 1, max: 7 }),
        (lines, size) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""))
          const seen: Array<string> = []
          const feed = makeLineReader(1_000_000, (line) => seen.push(line), () => assert.fail("too long"))
          for (let at = 0; at < bytes.length; at += size) feed(bytes.subarray(at, at + size))
          assert.deepStrictEqual(seen, lines.map((line) => Buffer.from(line).toString("utf8")))
        }
      )
    )
  })

  it("that are too long are dropped after they were reported", () => {
    const seen: Array<string> = []
    const feed = makeLineReader(5, (line) => seen.push(line), (beginning) => seen.push(`too long: ${beginning}`))
    for (const piece of ["abc", "def", "ghi\nok\n"]) feed(Buffer.from(piece))
    assert.deepStrictEqual(seen, ["too long: abcde", "ok"])
  })
})
