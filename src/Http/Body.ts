import type { HttpServerRequest } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { type FieldError, ProblemError } from "@troupe/api/Problem"
import { Context, Effect } from "effect"
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { depthExceeds, unstorableText } from "./JsonText.ts"

/** What bodies may be like. A body that is silent for `idleMillis` ends in 408. */
export class BodyLimits extends Context.Reference<BodyLimits>()("troupe/Http/Body/BodyLimits", {
  defaultValue: () => ({ jsonBytes: 1024 * 1024, idleMillis: 30_000, discardBytes: 64 * 1024 * 1024 })
}) {}

const jsonDepth = 64

const tooLarge = (limit: number) => ProblemError.of("too-large", `The body is larger than ${limit} bytes.`)
const tooSlow = (millis: number) => ProblemError.of("request-timeout", `No data came for ${millis / 1000} seconds.`)
const cutShort = () =>
  ProblemError.of("invalid-request", "The body ended before it was complete.", [
    { path: "", message: "the body was cut short" }
  ])
const invalid = (...errors: ReadonlyArray<FieldError>) => ProblemError.invalid(errors)

/** Reads and throws away what a refused sender still sends, so that it gets to read the answer; within bounds. */
const discard = (source: IncomingMessage, limits: BodyLimits["Type"]) => {
  if (source.readableEnded || source.destroyed) return
  let left = limits.discardBytes
  const timer = setTimeout(() => source.destroy(), limits.idleMillis)
  source.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) source.destroy()
  })
  source.once("close", () => clearTimeout(timer))
  source.on("error", () => clearTimeout(timer))
  source.resume()
}

const collect = (source: IncomingMessage, maxBytes: number, limits: BodyLimits["Type"]) =>
  Effect.async<Buffer, ProblemError>((resume) => {
    if (Number(source.headers["content-length"] ?? 0) > maxBytes) {
      discard(source, limits)
      return resume(Effect.fail(tooLarge(maxBytes)))
    }
    const chunks: Array<Buffer> = []
    let size = 0
    const done = (exit: Effect.Effect<Buffer, ProblemError>) => {
      clearTimeout(timer)
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
      resume(exit)
    }
    const onData = (chunk: Buffer) => {
      timer.refresh()
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else {
        done(Effect.fail(tooLarge(maxBytes)))
        discard(source, limits)
      }
    }
    const onEnd = () => done(Effect.succeed(Buffer.concat(chunks)))
    const onCut = () => done(Effect.fail(cutShort()))
    const timer = setTimeout(() => done(Effect.fail(tooSlow(limits.idleMillis))), limits.idleMillis)
    if (source.destroyed) return onCut()
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
    return Effect.sync(() => {
      clearTimeout(timer)
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
    })
  })

const isJson = (contentType: string) => {
  const [type, ...parameters] = contentType.toLowerCase().split(";").map((part) => part.trim())
  return type === "application/json"
    && parameters.every((parameter) => parameter === "" || /^charset\s*=\s*"?utf-8"?$/.test(parameter))
}

const hasBody = (source: IncomingMessage) =>
  source.headers["transfer-encoding"] !== undefined || Number(source.headers["content-length"] ?? 0) > 0

const parse = (bytes: Buffer): Effect.Effect<unknown, ProblemError> => {
  if (!isUtf8(bytes)) return Effect.fail(invalid({ path: "", message: "the body is not valid UTF-8" }))
  const text = bytes.toString("utf8")
  if (depthExceeds(text, jsonDepth)) {
    return Effect.fail(invalid({ path: "", message: `JSON nested deeper than ${jsonDepth} levels` }))
  }
  return Effect.flatMap(
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => invalid({ path: "", message: "the body is not JSON" })
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
    return unsupported(request)
  }
  return Effect.flatMap(BodyLimits, (limits) => Effect.flatMap(collect(source, limits.jsonBytes, limits), parse))
}

const unsupported = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(BodyLimits, (limits) => {
    discard(NodeHttpServerRequest.toIncomingMessage(request), limits)
    return Effect.fail(
      ProblemError.of("unsupported-media-type", "Send the body as application/json in UTF-8, without encoding.")
    )
  })

/**
 * The request as endpoints with a declared payload see it: JSON only, within limits. A larger body is 413, and the
 * sender can read that answer; one that is cut short is 400, one that is silent 408.
 */
export const guarded = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    json: { get: () => json(request) },
    text: { get: () => unsupported(request) },
    urlParamsBody: { get: () => unsupported(request) },
    arrayBuffer: { get: () => unsupported(request) },
    multipart: { get: () => unsupported(request) }
  })
