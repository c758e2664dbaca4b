import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import iconv from "iconv-lite"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { freshFolder } from "../support/FreshFolder.ts"

const ann = UserId.make("ann")

const sandbox = Layer.unwrapScoped(Effect.map(freshFolder, (root) => Sandbox.layer({ root })))

/** What reading lines of a file with these bytes gives. */
const linesOf = (bytes: Uint8Array, window: Parameters<Sandbox["Type"]["read"]>[2] = {}) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    yield* sandbox.write(ann, "a.csv", bytes)
    return yield* sandbox.read(ann, "a.csv", window)
  })

const csv = "Name;Betrag\r\nMüller;12,50 €\r\nLöwe;7 €\r\n"

describe("Lines of a text file", () => {
  it.effect.each(["utf-8", "utf-8 with mark", "windows-1252", "utf-16le", "utf-16be", "utf-16 with mark"])(
    "are readable in %s",
    (encoding) =>
      Effect.gen(function*() {
        const bytes = encoding.endsWith(" with mark")
          ? iconv.encode(csv, encoding === "utf-8 with mark" ? "utf-8" : "utf-16le", { addBOM: true })
          : iconv.encode(csv, encoding, { addBOM: false })
        assert.strictEqual((yield* linesOf(bytes)).text, csv)
        const { lines, more, text } = yield* linesOf(bytes, { offset: 1, limit: 1 })
        assert.deepStrictEqual({ lines, more, text }, { lines: 1, more: true, text: "Müller;12,50 €\r\n" })
      }).pipe(Effect.provide(sandbox))
  )

  it.effect("are readable in the encoding of old DOS programs", () =>
    Effect.map(
      linesOf(iconv.encode("Müller;Größe\r\n", "cp850")),
      ({ text }) => assert.strictEqual(text, "Müller;Größe\r\n")
    ).pipe(Effect.provide(sandbox)))

  it.effect("are found in UTF-16 far behind the first piece that is read", () =>
    Effect.gen(function*() {
      const text = Array.from({ length: 30_000 }, (_, index) => `Zeile Ü ${index}\n`).join("")
      const { lines, text: found } = yield* linesOf(Buffer.from(text, "utf16le"), { offset: 29_998 })
      assert.deepStrictEqual([lines, found], [2, "Zeile Ü 29998\nZeile Ü 29999\n"])
    }).pipe(Effect.provide(sandbox)))

  it.effect("end before a character that the limit of bytes would cut", () =>
    Effect.gen(function*() {
      const { cut, text } = yield* linesOf(Buffer.from("aaaa€"), { maxBytes: 6 })
      assert.deepStrictEqual({ cut, text }, { cut: true, text: "aaaa" })
      const western = yield* linesOf(iconv.encode("Größe 12", "windows-1252"), { maxBytes: 4 })
      assert.strictEqual(western.text, "Größ")
    }).pipe(Effect.provide(sandbox)))
})
