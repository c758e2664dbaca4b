import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { CallToolRequestSchema, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import type { CurrentUser } from "@troupe/api/Authentication"
import type { McpMessage } from "@troupe/api/McpApi"
import { ProblemError } from "@troupe/api/Problem"
import { Effect, Stream } from "effect"
import { CallerStream } from "../Runtime/CallerStream.ts"
import { type McpOffer, openServer } from "./ProtocolServer.ts"

const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" }

const exchange = Effect.fnUntraced(function*(
  offer: McpOffer,
  message: McpMessage,
  options: { readonly enableJsonResponse: boolean; readonly protocolVersion: string | undefined }
) {
  const { enableJsonResponse, protocolVersion } = options
  const server = yield* openServer(offer)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse, keepAliveMs: 0 })
  yield* Effect.promise(() => server.connect(transport))
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: { ...headers, ...(protocolVersion === undefined ? {} : { "mcp-protocol-version": protocolVersion }) }
  })
  return yield* Effect.promise(() => transport.handleRequest(request, { parsedBody: message }))
})

/** A call that waits keeps its connection alive with events, and one that asks for progress receives it as events. */
const isWatching = (message: McpMessage): boolean => {
  const call = CallToolRequestSchema.safeParse(message)
  return call.success && message.id !== undefined
    && (call.data.params._meta?.progressToken !== undefined || Number(call.data.params.arguments?.["wait_seconds"]) > 0)
}

/** Answers one message of a client, whole or as server-sent events. A connection that is closed ends the call. */
export const answer = (
  offer: McpOffer,
  message: McpMessage,
  options: { readonly protocolVersion: string | undefined; readonly acceptsEvents: boolean }
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, CurrentUser> => {
  const { acceptsEvents, protocolVersion } = options
  if (protocolVersion !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    return Effect.die(ProblemError.invalid([{
      path: "mcp-protocol-version",
      message: `must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}`
    }]))
  }
  if (acceptsEvents && isWatching(message)) {
    // The call begins when the answer is sent, so a caller with too many streams is refused before it.
    const events = exchange(offer, message, { protocolVersion, enableJsonResponse: false }).pipe(
      Effect.map(({ body }) =>
        body === null ? Stream.empty : Stream.orDie(Stream.fromReadableStream(() => body, (cause) => cause))
      )
    )
    return Effect.map(
      Effect.context<CurrentUser>(),
      (context) =>
        HttpServerResponse.stream(Stream.provideContext(Stream.unwrapScoped(events), context), {
          contentType: "text/event-stream"
        })
    )
  }
  const counted = isWatching(message) ? Effect.flatMap(CallerStream, ({ hold }) => hold) : Effect.void
  return Effect.scoped(
    counted.pipe(
      Effect.zipRight(exchange(offer, message, { protocolVersion, enableJsonResponse: true })),
      Effect.flatMap((response) =>
        Effect.map(Effect.promise(() => response.text()), (body) =>
          body === ""
            ? HttpServerResponse.empty({ status: response.status })
            : HttpServerResponse.text(body, { status: response.status, contentType: "application/json" }))
      )
    )
  )
}
