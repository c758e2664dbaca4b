import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Option, Stream } from "effect"
import { eventFrames, maxEventLength } from "../../src/Model/EventStream.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The frames of a stream that comes in these pieces. */
const streamOf = (pieces: Iterable<string>) => {
  const left = [...pieces].toReversed()
  const read = Effect.suspend(() => {
    const piece = left.pop()
    return piece === undefined ? Effect.fail(Option.none()) : Effect.succeed([encoder.encode(piece)])
  })
  return Stream.map(eventFrames(read), (bytes) => decoder.decode(bytes))
}

/** All of them, and how the stream ended. */
const framesOf = (pieces: Iterable<string>) => {
  const frames: Array<string> = []
  return Stream.runForEach(streamOf(pieces), (frame) => Effect.sync(() => void frames.push(frame))).pipe(
    Effect.either,
    Effect.map((end) => ({ end: end._tag === "Left" ? end.left.kind : "complete", frames }))
  )
}

const piecesOf = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

const lines = [
  ": a comment",
  "event: x",
  "retry: 60000",
  "data: {\"a\":1}",
  "",
  "data: one",
  "data:two",
  "",
  "data: [DONE]"
]

describe("An event stream", () => {
  it.live("has the same events however it is cut, whatever ends its lines, their data on one line", () =>
    Effect.gen(function*() {
      for (const end of ["\n", "\r\n", "\r"]) {
        const text = [...lines, "", ""].join(end)
        for (let size = 1; size <= text.length; size++) {
          const { frames } = yield* framesOf(piecesOf(text, size))
          assert.strictEqual(frames.join(""), "data: {\"a\":1}\n\ndata: one two\n\ndata: [DONE]\n\n")
        }
      }
    }))

  it.live("has the last event of a server that does not end it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* framesOf(["data: one"]), { end: "complete", frames: ["data: one\n\n"] })
    }))

  it.live("fails at an event over the bound, in one piece, in many, and in many lines", () =>
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
        assert.deepStrictEqual(yield* framesOf(pieces), { end: "eventTooLong", frames: ["data: ok\n\n"] })
      }
      const { end, frames } = yield* framesOf([`data: ${"x".repeat(maxEventLength - 100)}\n\n`])
      assert.strictEqual(end, "complete")
      assert.strictEqual(frames[0]?.length, maxEventLength - 100 + "data: \n\n".length)
    }))

  it.live("comes in small frames, with room for other work between them", () =>
    Effect.gen(function*() {
      let frames = 0
      let seen = -1
      setImmediate(() => setImmediate(() => (seen = frames)))
      const all = yield* streamOf(["data: x\n\n".repeat(20_000)]).pipe(
        Stream.tap(() => Effect.sync(() => void frames++)),
        Stream.runCollect
      )
      assert.strictEqual(Chunk.join(all, "").length, "data: x\n\n".length * 20_000)
      assert.isTrue(Chunk.every(all, (frame) => frame.length < 1_000))
      assert.isAtLeast(seen, 0)
      assert.isBelow(seen, 10)
    }))
})
