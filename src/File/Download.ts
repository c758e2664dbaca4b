import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { ProblemError, problemMediaType, RequestId } from "@troupe/api/Problem"
import { create } from "content-disposition"
import { Context, Effect, Option, type Scope, Stream } from "effect"
import fresh from "fresh"
import type { Stats } from "node:fs"
import parseRange from "range-parser"
import { contentTypeOf } from "./Documents/DocumentKind.ts"
import type { OpenFile } from "./OpenDirectory.ts"

const chunkBytes = 65_536

/** A receiver that takes nothing for so long is disconnected. */
const stallMillis = 60_000

/** Changes with every change of the file: a replacement is another inode, and an append changes size and time. */
const etagOf = ({ ino, mtimeMs, size }: Stats): string =>
  `"${[ino, size, Math.round(mtimeMs * 1_000)].map((part) => part.toString(36)).join("-")}"`

interface Part {
  readonly status: 200 | 206
  readonly start: number
  readonly length: number
  readonly headers: Readonly<Record<string, string>>
}

/** The part of the file that is asked for: one range, or all of it. Null: there is no such range. */
const partOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  size: number,
  isCurrent: (validator: string) => boolean
): Part | null => {
  const whole: Part = { status: 200, start: 0, length: size, headers: {} }
  const { "if-range": condition, range } = headers
  if (range === undefined || (condition !== undefined && !isCurrent(condition))) return whole
  const ranges = parseRange(size, range)
  if (ranges === -1) return null
  const [only] = ranges === -2 || ranges.type !== "bytes" || ranges.length !== 1 ? [] : ranges
  return only === undefined ? whole : {
    status: 206,
    start: only.start,
    length: only.end - only.start + 1,
    headers: { "content-range": `bytes ${only.start}-${only.end}/${size}` }
  }
}

/** The response to a request for a file: its content as an attachment, a part of it, or that it has not changed. */
export const downloadResponse = <E>(
  request: HttpServerRequest.HttpServerRequest,
  filename: string,
  open: Effect.Effect<OpenFile, E, Scope.Scope>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> =>
  Effect.gen(function*() {
    const { stats } = yield* Effect.scoped(open)
    const etag = etagOf(stats)
    const modified = stats.mtime.toUTCString()
    const validators = { etag, "last-modified": modified, "cache-control": "private, no-cache" }
    if (fresh(request.headers, validators)) return HttpServerResponse.empty({ status: 304, headers: validators })
    const part = partOf(request, stats.size, (validator) => validator === etag || validator === modified)
    if (part === null) {
      const problem = ProblemError.of("range-not-satisfiable", `The file has ${stats.size} bytes.`)
      return HttpServerResponse.unsafeJson(problem.body(yield* RequestId), {
        status: problem.status,
        contentType: problemMediaType,
        headers: { "content-range": `bytes */${stats.size}` }
      })
    }
    const response = NodeHttpServerRequest.toServerResponse(request)
    response.setTimeout(stallMillis, () => response.destroy())
    // The response is sent outside of the authentication, and looks up the user once more.
    const caller = yield* Effect.context<never>()
    const openAgain = Effect.mapInputContext(
      open,
      (sending: Context.Context<Scope.Scope>) => Context.merge(caller, sending)
    )
    // The file is opened again, so that nothing stays open if the response is never sent (as for HEAD).
    const content = Stream.unwrapScoped(Effect.flatMap(openAgain, (file) =>
      etagOf(file.stats) === etag
        ? Effect.succeed(chunksOf(file, part))
        : Effect.dieMessage("A file changed while its download began"))).pipe(
        // The headers are sent, so only a closed connection tells the receiver that the rest does not come.
        Stream.tapErrorCause(() => Effect.sync(() => response.destroy()))
      )
    return HttpServerResponse.stream(content, {
      status: part.status,
      contentType: contentTypeOf(filename),
      headers: {
        "content-length": String(part.length),
        ...validators,
        ...part.headers,
        "accept-ranges": "bytes",
        "content-disposition": create(filename),
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox"
      }
    })
  })

const chunksOf = ({ read }: OpenFile, { length, start }: Part) =>
  Stream.unfoldEffect(start, (position) =>
    Effect.gen(function*() {
      const left = start + length - position
      if (left === 0) return null
      const chunk = new Uint8Array(Math.min(chunkBytes, left))
      const bytesRead = yield* read(chunk, position)
      if (bytesRead === 0) return yield* Effect.dieMessage("A file became shorter during its download")
      return [chunk.subarray(0, bytesRead), position + bytesRead] as const
    }).pipe(Effect.map((next) => next === null ? Option.none() : Option.some(next))))
