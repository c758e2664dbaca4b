import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { IncomingMessage } from "node:http"
import { BodyLimits, hasBody } from "./Body.ts"

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
