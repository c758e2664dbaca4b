import { Effect, Stream } from "effect"
import { isUtf8 } from "node:buffer"
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl"
import { decodeText, wideEncodingOf } from "../../Runtime/TextDecoding.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

/** The XML parts of an office file by their names, inflated and in UTF-8. */
export type OfficeParts = ReadonlyMap<string, Uint8Array>

const maxEntries = 2_000
const maxInflated = 200 * 1_000_000
const maxRatio = 200
/** Below this size no ratio is too high: a page of equal lines compresses better than the limit. */
const harmless = 10 * 1_000_000

const tooBig = new DocumentUnreadable({
  reason: "The file unpacks to far more data than a document has, so it was not opened."
})
const damaged = new DocumentUnreadable({ reason: "The file is damaged or cut short: it can't be unpacked." })

/** Unpacks an office file while counting what really comes out of all entries; only the XML parts are kept. */
export const officeParts = (bytes: Uint8Array): Effect.Effect<OfficeParts, DocumentUnreadable> =>
  Effect.gen(function*() {
    const archive = yield* orDamaged(() =>
      fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
        // Some programs separate folders by backslashes, which become slashes.
        strictFileNames: false
      })
    )
    if (archive.entryCount > maxEntries) return yield* tooBig
    const parts = new Map<string, Uint8Array>()
    const limit = Math.min(maxInflated, Math.max(harmless, bytes.length * maxRatio))
    let room = limit
    let count = 0
    yield* Stream.fromAsyncIterable(archive.eachEntry(), () => damaged).pipe(
      Stream.runForEach((entry) =>
        Effect.gen(function*() {
          if (++count > maxEntries) return yield* tooBig
          if (entry.isEncrypted()) {
            return yield* new DocumentUnreadable({ reason: "The file is protected by a password." })
          }
          if (entry.uncompressedSize > room) return yield* tooBig
          const part = isXml(entry.fileName) ? new Uint8Array(entry.uncompressedSize) : null
          room -= yield* inflate(archive, entry, room, part)
          if (part === null) return
          // Two parts of one name could show different documents to different readers.
          if (parts.has(entry.fileName)) return yield* damaged
          parts.set(entry.fileName, inUtf8(part))
        })
      )
    )
    return parts
  })

export const isOffice = (parts: OfficeParts, folder: "word" | "ppt" | "xl"): boolean =>
  [...parts.keys()].some((name) => name.toLowerCase().startsWith(`${folder}/`))

/** The name of a part as the archive has it. Some programs write references to it with other capitals. */
export const partNamed = (parts: OfficeParts, name: string): string | undefined =>
  parts.has(name) ? name : [...parts.keys()].find((other) => other.toLowerCase() === name.toLowerCase())

const isXml = (name: string): boolean => /\.(?:xml|rels)$/i.test(name)

/** XML may have any encoding. Its first line names it, except for UTF-16, which the bytes show. */
const inUtf8 = (part: Uint8Array): Uint8Array => {
  if (isUtf8(part) && wideEncodingOf(part) === null) return part
  const [, label] = /^<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w.:-]+)/.exec(
    Buffer.from(part.subarray(0, 300)).toString("latin1")
  ) ?? []
  return Buffer.from(decodeText(part, label))
}

const inflate = (
  archive: ZipFile,
  entry: Entry,
  room: number,
  part: Uint8Array | null
): Effect.Effect<number, DocumentUnreadable> =>
  Effect.gen(function*() {
    const stream = yield* orDamaged(() => archive.openReadStreamPromise(entry))
    let length = 0
    yield* Stream.fromAsyncIterable<Uint8Array, DocumentUnreadable>(stream, () => damaged).pipe(
      Stream.runForEach((chunk) => {
        if (part !== null && length + chunk.length > part.length) return damaged
        part?.set(chunk, length)
        length += chunk.length
        return length > room ? tooBig : Effect.void
      })
    )
    return length
  })

const orDamaged = <A>(work: () => Promise<A>): Effect.Effect<A, DocumentUnreadable> =>
  Effect.tryPromise({ try: work, catch: () => damaged })
