import * as Multipart from "@effect/platform/Multipart"
import { ProblemError } from "@troupe/api/Problem"
import { plural } from "@troupe/domain/Text"
import { Effect, Inspectable, Option, Stream } from "effect"
import * as MP from "multipasta"
import type { IncomingMessage } from "node:http"
import { dispositionOf, headersInAnyEncoding } from "./FormFileName.ts"
import { invalid } from "./ProblemResponse.ts"

/** The fields of a form beside its file, and what is between the parts. */
const maxOtherBytes = 64 * 1024
const maxParts = 32
const maxFieldBytes = 4096

const cutShort = invalid("the body was cut short")
const malformed = invalid("the body is not multipart/form-data as its Content-Type says")
const unsupported = ProblemError.of(
  "unsupported-media-type",
  "Send the body as multipart/form-data with a boundary, without encoding."
)
const tooLarge = (maxFileBytes: number) =>
  ProblemError.of("too-large", `The body is larger than a file of ${maxFileBytes} bytes and its form.`)
const silent = (millis: number) =>
  ProblemError.of("request-timeout", `No data arrived for ${plural(millis / 1000, "second")}.`)

/** The next piece of the body, or null at its end. The rest is not read until it is asked for. */
const nextPiece = (source: IncomingMessage, idleMillis: number) =>
  Effect.async<Buffer | null, ProblemError>((resume) => {
    if (source.readableEnded) return resume(Effect.succeed(null))
    if (source.destroyed) return resume(cutShort)
    const stop = () => {
      clearTimeout(idle)
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut).pause()
    }
    const done = (exit: Effect.Effect<Buffer | null, ProblemError>) => {
      stop()
      resume(exit)
    }
    const onData = (piece: Buffer) => done(Effect.succeed(piece))
    const onEnd = () => done(Effect.succeed(null))
    const onCut = () => done(cutShort)
    const idle = setTimeout(() => done(silent(idleMillis)), idleMillis)
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut).resume()
    return Effect.sync(stop)
  })

type Content = Stream.Stream<Uint8Array>

const problemOf = (error: MP.MultipartError, maxFileBytes: number): ProblemError => {
  switch (error._tag) {
    case "InvalidBoundary":
      return invalid("must be multipart/form-data with a boundary", "content-type")
    case "EndNotReached":
      return cutShort
    case "ReachedLimit":
      return error.limit === "MaxTotalSize"
        ? tooLarge(maxFileBytes)
        : invalid(`at most ${maxParts} fields of at most ${maxFieldBytes} bytes beside the file`)
    case "BadHeaders":
    case "InvalidDisposition":
      return malformed
  }
}

/** What a field and a file have in common. Logs show the name alone. */
const partOf = (key: string, contentType: string): Omit<Multipart.Field, "_tag" | "value"> => ({
  ...Inspectable.BaseProto,
  [Multipart.TypeId]: Multipart.TypeId,
  key,
  contentType,
  toJSON: () => ({ key })
})

const fieldOf = (key: string, contentType: string, value: string): Multipart.Field => ({
  ...partOf(key, contentType),
  _tag: "Field",
  value
})

const fileOf = (key: string, name: string, contentType: string, content: Content): Multipart.File => ({
  ...partOf(key, contentType),
  _tag: "File",
  name,
  content,
  contentEffect: Effect.map(Stream.runCollect(content), (pieces) => Buffer.concat([...pieces]))
})

/** The parts of a form as they arrive. Fails with a problem as a defect, which the sender gets as the answer. */
export const multipartParts = (
  source: IncomingMessage,
  { idleMillis, maxFileBytes }: { readonly idleMillis: number; readonly maxFileBytes: number }
): Stream.Stream<Multipart.Part> => {
  const { "content-encoding": encoding, "content-length": length, "content-type": contentType = "" } = source.headers
  if (!/^multipart\/form-data *(?:;|$)/i.test(contentType) || encoding !== undefined) return Stream.die(unsupported)
  const maxTotalSize = maxFileBytes + maxOtherBytes
  if (Number(length ?? 0) > maxTotalSize) return Stream.die(tooLarge(maxFileBytes))
  return Stream.suspend(() => {
    /** What the parser has found and nobody has taken: parts, the bytes of a file, and null at its end. */
    const found: Array<Multipart.Part | Uint8Array | null> = []
    let failure: ProblemError | null = null
    let isOver = false
    const end = Effect.fail(Option.none<never>())
    const next: Effect.Effect<Multipart.Part | Uint8Array | null> = Effect.suspend(() => {
      if (failure !== null) return Effect.die(failure)
      const first = found.shift()
      if (first !== undefined) return Effect.succeed(first)
      return isOver ? Effect.succeed(null) : Effect.zipRight(Effect.orDie(read), next)
    })
    const content: Content = Stream.repeatEffectOption(
      Effect.flatMap(next, (event) => event instanceof Uint8Array ? Effect.succeed(event) : end)
    )
    const part: Effect.Effect<Multipart.Part, Option.Option<never>> = Effect.flatMap(next, (event) => {
      if (event !== null && !(event instanceof Uint8Array)) return Effect.succeed(event)
      return isOver && found.length === 0 ? end : part
    })
    const headers = headersInAnyEncoding()
    const named = ({ headers: { "content-disposition": value } }: MP.PartInfo) =>
      dispositionOf(typeof value === "string" ? headers.original(value) : "")
    const parser = MP.make({
      headers: { "content-type": contentType },
      maxParts,
      maxFieldSize: maxFieldBytes,
      maxTotalSize,
      isFile: (info) => named(info).filename !== undefined,
      onField: (info, value) => found.push(fieldOf(named(info).key, info.contentType, MP.decodeField(info, value))),
      onFile: (info) => {
        const { filename = "", key } = named(info)
        found.push(fileOf(key, filename, info.contentType, content))
        return (bytes) => found.push(bytes)
      },
      onError: (error) => {
        failure ??= problemOf(error, maxFileBytes)
      },
      onDone: () => {
        isOver = true
      }
    })
    const read = Effect.flatMap(nextPiece(source, idleMillis), (piece) =>
      Effect.flatMap(
        Effect.try({
          try: () => {
            if (piece === null) return parser.end()
            headers.keep(piece)
            parser.write(piece)
          },
          catch: () => malformed
        }),
        () => failure ?? (piece === null && !isOver ? cutShort : Effect.void)
      ))
    return Stream.repeatEffectOption(part)
  })
}
