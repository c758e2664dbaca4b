import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeEventReader, maxEventLength } from "../../src/Model/EventStream.ts"

const makeReader = () => {
  const taken: Array<string> = []
  const { feed } = makeEventReader((events) => Effect.sync(() => void taken.push(...events)), "too long" as const)
  return { feed, taken }
}

const lines = [": a comment", "event: x", "data: {\"a\":1}", "", "data: one", "data:two", "", "data: [DONE]", "", ""]

describe("An event stream", () => {
  it.effect("has the same events however it is cut, whatever ends its lines", () =>
    Effect.gen(function*() {
      for (const end of ["\n", "\r\n", "\r"]) {
        const text = lines.join(end)
        for (let size = 1; size <= text.length; size++) {
          const { feed, taken } = makeReader()
          for (let at = 0; at < text.length; at += size) yield* feed(text.slice(at, at + size))
          yield* feed("\n\n")
          assert.deepStrictEqual(taken, ["{\"a\":1}", "one\ntwo", "[DONE]"])
        }
      }
    }))

  it.effect("fails at an event over the bound, in one piece, in many, and in many lines", () =>
    Effect.gen(function*() {
      const line = `data: ${"x".repeat(1_000_000)}`
      const whole = `data: ok\n\ndata: ${"x".repeat(maxEventLength)}`
      const manyPieces = Array.from({ length: maxEventLength / 1024 + 1 }, () => "x".repeat(1024))
      for (
        const pieces of [[whole], ["data: ok\n\ndata: ", ...manyPieces], [
          "data: ok\n\n",
          ...Array.from({ length: 5 }, () => `${line}\n`)
        ]]
      ) {
        const { feed, taken } = makeReader()
        const error = yield* Effect.flip(Effect.forEach(pieces, feed, { discard: true }))
        assert.strictEqual(error, "too long")
        assert.deepStrictEqual(taken, ["ok"])
      }
      const { feed, taken } = makeReader()
      yield* feed(`data: ${"x".repeat(maxEventLength - 100)}\n\n`)
      assert.strictEqual(taken[0]?.length, maxEventLength - 100)
    }))

  it.live("lets other work go on between many events that come at once", () =>
    Effect.gen(function*() {
      const { feed, taken } = makeReader()
      let seen = -1
      setImmediate(() => (seen = taken.length))
      yield* feed("data: x\n\n".repeat(20_000))
      assert.strictEqual(taken.length, 20_000)
      assert.isAtLeast(seen, 0)
      assert.isBelow(seen, 1000)
    }))
})
