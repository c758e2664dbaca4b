import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { ProblemError } from "@troupe/api/Problem"
import { plural } from "@troupe/domain/Text"
import { Context, Effect, Stream } from "effect"
import { isUtf8 } from "node:buffer"
import { IncomingMessage } from "node:http"
import { unstorableText } from "../Runtime/Database/StorableText.ts"
import { depthExceeds } from "../Runtime/JsonDepth.ts"
import { multipartParts } from "./MultipartBody.ts"
import { invalid } from "./ProblemResponse.ts"

/** A slow body is answered with 408. Of a body that is not read, at most `discardBytes` are discarded. */
export class BodyLimits extends Context.Reference<BodyLimits>()("troupe/Http/Body/BodyLimits", {
  defaultValue: () => ({
    jsonBytes: 1024 * 1024,
    idleMillis: 30_000,
    totalMillis: 60_000,
    discardBytes: 64 * 1024 * 1024
  })
}) {}

const maxJsonDepth = 64

const tooLarge = (limit: number) => ProblemError.of("too-large", `The body is larger than ${limit} bytes.`)
const tooSlow = (detail: string) => ProblemError.of("request-timeout", detail)
const cutShort = () =>
  ProblemError.of("invalid-request", "The body ended before it was complete.", [
    { path: "", message: "the body was cut short" }
  ])
const notUtf8 = invalid("the body is not valid UTF-8")

/** For JSON with `isTooDeep`, which is then not parsed. */
export const tooDeep = invalid(`JSON nested deeper than ${maxJsonDepth} levels`)
export const isTooDeep = (text: string): boolean => depthExceeds(text, maxJsonDepth)

const collect = (source: IncomingMessage, { idleMillis, jsonBytes, totalMillis }: BodyLimits["Type"]) =>
  Effect.async<Buffer, ProblemError>((resume) => {
    if (Number(source.headers["content-length"] ?? 0) > jsonBytes) return resume(Effect.fail(tooLarge(jsonBytes)))
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => {
      clearTimeout(idle)
      clearTimeout(total)
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
    }
    const done = (exit: Effect.Effect<Buffer, ProblemError>) => {
      stop()
      resume(exit)
    }
    const onData = (chunk: Buffer) => {
      idle.refresh()
      size += chunk.length
      if (size <= jsonBytes) chunks.push(chunk)
      else done(Effect.fail(tooLarge(jsonBytes)))
    }
    const onEnd = () => done(Effect.succeed(Buffer.concat(chunks)))
    const onCut = () => done(Effect.fail(cutShort()))
    const onIdle = () => done(Effect.fail(tooSlow(`No data arrived for ${plural(idleMillis / 1000, "second")}.`)))
    const onTotal = () =>
      done(Effect.fail(tooSlow("The body arrived too slowly: send it faster, or in smaller parts.")))
    const idle = setTimeout(onIdle, idleMillis)
    const total = setTimeout(onTotal, totalMillis)
    if (source.destroyed) return onCut()
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
    return Effect.sync(stop)
  })

const isJson = (contentType: string) => {
  const [type, ...parameters] = contentType.toLowerCase().split(";").map((part) => part.trim())
  return type === "application/json"
    && parameters.every((parameter) => parameter === "" || /^charset\s*=\s*"?utf-8"?$/.test(parameter))
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const parse = (bytes: Buffer): Effect.Effect<unknown, ProblemError> => {
  // Clients set the type of a body that they do not send.
  if (bytes.length === 0) return Effect.succeed({})
  if (!isUtf8(bytes)) return notUtf8
  const text = bytes.toString("utf8")
  if (isTooDeep(text)) return Effect.fail(tooDeep)
  return Effect.flatMap(
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => invalid("the body is not JSON")
    }),
    (value) => {
      const bad = text.includes("\\u") ? unstorableText(value) : []
      return bad.length === 0 ? Effect.succeed(value) : Effect.fail(ProblemError.invalid(bad))
    }
  )
}

const json = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, ProblemError> => {
  const source = NodeHttpServerRequest.toIncomingMessage(request)
  const contentType = source.headers["content-type"]
  if (contentType === undefined && !hasBody(source)) return Effect.succeed({})
  if (contentType === undefined || !isJson(contentType) || source.headers["content-encoding"] !== undefined) {
    return unsupported
  }
  return Effect.flatMap(BodyLimits, (limits) => Effect.flatMap(collect(source, limits), parse))
}

const unsupported = Effect.fail(
  ProblemError.of("unsupported-media-type", "Send the body as application/json in UTF-8, without encoding.")
)

const linesType = /^application\/(?:x-)?ndjson\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** The bytes of a body of any type, as they were sent. */
export const rawBody = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Effect.Effect<Uint8Array, ProblemError> =>
  Effect.flatMap(
    BodyLimits,
    (limits) => collect(NodeHttpServerRequest.toIncomingMessage(request), { ...limits, jsonBytes: maxBytes })
  )

/** A body of JSON lines, within the limits of the others. A page can't send this type without a preflight. */
export const jsonLines = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, ProblemError> => {
  const source = NodeHttpServerRequest.toIncomingMessage(request)
  if (!linesType.test(source.headers["content-type"] ?? "") || source.headers["content-encoding"] !== undefined) {
    return Effect.fail(
      ProblemError.of("unsupported-media-type", "Send the body as application/ndjson in UTF-8, without encoding.")
    )
  }
  return Effect.flatMap(BodyLimits, (limits) =>
    Effect.flatMap(collect(source, limits), (bytes) =>
      isUtf8(bytes)
        ? Effect.succeed(bytes.toString("utf8"))
        : notUtf8))
}

/** Replaces the body readers by ones with limits: 413 if larger, 400 if cut short, 408 if slow. */
export const guarded = (
  request: HttpServerRequest.HttpServerRequest,
  maxUploadBytes: number
): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    multipartStream: {
      get: () =>
        Stream.unwrap(Effect.map(
          BodyLimits,
          ({ idleMillis }) =>
            multipartParts(NodeHttpServerRequest.toIncomingMessage(request), {
              idleMillis,
              maxFileBytes: maxUploadBytes
            })
        ))
    },
    json: { get: () => json(request) },
    text: { get: () => unsupported },
    urlParamsBody: { get: () => unsupported },
    arrayBuffer: { get: () => unsupported },
    multipart: { get: () => unsupported }
  })

/** Reads and discards the rest of a body; `end` receives whether that was all, or the limits were reached. */
const discard = (
  source: IncomingMessage,
  { discardBytes, idleMillis }: BodyLimits["Type"],
  end: (isAll: boolean) => void
): void => {
  let left = discardBytes
  const stop = (isAll: boolean) => {
    clearTimeout(timer)
    source.off("data", onData).off("end", onEnd).off("close", onEnd)
    end(isAll)
  }
  const onData = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) stop(false)
  }
  const onEnd = () => stop(true)
  const timer = setTimeout(() => stop(false), idleMillis)
  source.on("error", () => {})
  source.on("data", onData).on("end", onEnd).on("close", onEnd).resume()
}

/**
 * Closing a connection during an upload resets it and loses the response, so the rest of a body is read first, within
 * limits.
 */
export const discardRest = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  Effect.flatMap(BodyLimits, (limits) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    if (!(source instanceof IncomingMessage) || source.complete || source.destroyed || !hasBody(source)) {
      return Effect.void
    }
    const response = NodeHttpServerRequest.toServerResponse(request)
    if (response.shouldKeepAlive && response.getHeader("connection") !== "close") {
      return Effect.sync(() => discard(source, limits, (isAll) => void (isAll || source.destroy())))
    }
    return Effect.async<void>((resume) => discard(source, limits, () => resume(Effect.void)))
  })
