import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { Documents } from "../../../src/File/Documents/Documents.ts"
import { archive, inflatingPdf, pdfOf, sheetParts, wordParagraph, wordParts } from "./files.ts"

const textOf = (name: string, bytes: Uint8Array) =>
  Effect.flatMap(Documents, (documents) => documents.text(name, bytes, { offset: 0, limit: 9, maxChars: 1_000 }))

const text = (name: string, bytes: Uint8Array) => Effect.map(textOf(name, bytes), ({ text }) => text)

const refusal = (name: string, bytes: Uint8Array) =>
  Effect.map(Effect.flip(textOf(name, bytes)), ({ reason }) => reason)

describe("Documents are read in threads", () => {
  it.live("that answer with lines, with a new document, or with why not", () =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const docx = yield* documents.docx("# Plan")
      assert.deepStrictEqual(yield* textOf("a.docx", docx), { text: "Plan", lines: 1, total: 1, cut: false })
      assert.match(yield* refusal("a.pdf", docx), /its content is a ZIP archive/)
    }).pipe(Effect.provide(Documents.layer())))

  const huge = Buffer.from(pdfOf(Array.from({ length: 3_000 }, () => "x")))

  it.live("are given up after the time for one", () =>
    Effect.gen(function*() {
      assert.match(yield* refusal("a.pdf", huge), /takes too long/)
    }).pipe(Effect.provide(Documents.layer({ timeout: "50 millis" }))))

  it.live("are given up at the memory for one, and the next one is read", () =>
    Effect.gen(function*() {
      const heavy = archive(wordParts(wordParagraph("words").repeat(200_000)))
      assert.match(yield* refusal("a.docx", heavy), /too much memory/)
      const corner = archive(sheetParts({ A: "<row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row>" }))
      assert.match(yield* refusal("a.xlsx", corner), /too much memory/)
      assert.strictEqual(yield* text("a.txt", Buffer.from("next")), "next")
    }).pipe(Effect.provide(Documents.layer({ heapMegabytes: 64, threads: 1 }))))

  it.live("are given up when they inflate without end", () =>
    Effect.gen(function*() {
      const inflating = inflatingPdf(3_000)
      assert.isBelow(inflating.length, 4_000_000)
      assert.match(yield* refusal("a.pdf", inflating), /too much memory/)
    }).pipe(Effect.provide(Documents.layer({ heapMegabytes: 128, bufferMegabytes: 256 }))))

  it.live("stop when nobody waits for them any more, and make room", () =>
    Effect.gen(function*() {
      const reading = yield* Effect.fork(text("a.pdf", huge))
      yield* Effect.yieldNow()
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(reading)))
      assert.strictEqual(yield* text("a.txt", Buffer.from("next")), "next")
    }).pipe(Effect.provide(Documents.layer({ threads: 1 }))))
})
