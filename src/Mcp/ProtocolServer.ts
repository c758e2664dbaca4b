import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS
} from "@modelcontextprotocol/sdk/types.js"
import type { CurrentUser } from "@troupe/api/Authentication"
import type { McpMessage } from "@troupe/api/McpApi"
import { ProblemError } from "@troupe/api/Problem"
import { Cause, Effect, Exit, Runtime, Stream } from "effect"
import { IncomingRequest } from "../Runtime/IncomingRequest.ts"
import { noValidator } from "../ToolServer/ToolSchema.ts"
import type { McpTool, ReportProgress, ToolAnswer } from "./McpTool.ts"
import { type OutputResources, outputUriTemplate } from "./OutputResources.ts"

/** What the server offers to its clients. */
export interface McpOffer {
  readonly version: string
  readonly tools: ReadonlyArray<McpTool>
  readonly outputs: OutputResources
}

const instructions =
  "Troupe runs tasks with agents that work on their own and survive restarts. Create a task, then read "
  + "it until it is completed or failed. A task in waiting_input asks a question: answer it. Results are also resources."

const resultOf = ({ content, links = [] }: ToolAnswer) => ({
  content: [
    { type: "text" as const, text: JSON.stringify(content) },
    ...links.map((link) => ({ type: "resource_link" as const, ...link }))
  ],
  structuredContent: { ...content }
})

const refusal = (reason: string) => ({ content: [{ type: "text" as const, text: reason }], isError: true })

const broken = "The service failed to process the call; its log has the cause under the request's id. "
  + "It is not known whether the call took effect: check before you repeat it."

const resourceNotFound = -32_002

/** A server of the protocol for one message: no state is kept between messages, so that any process can answer. */
const openServer = Effect.fnUntraced(function*({ outputs, tools, version }: McpOffer) {
  const runtime = yield* Effect.runtime<CurrentUser>()
  const run = <A>(effect: Effect.Effect<A, McpError, CurrentUser>, signal: AbortSignal): Promise<A> =>
    Runtime.runPromiseExit(runtime)(effect, { signal }).then(
      Exit.match({
        onFailure: (cause) => Promise.reject(Cause.squash(cause)),
        onSuccess: (value) => Promise.resolve(value)
      })
    )
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Server({ name: "troupe", title: "Troupe", version }, {
        capabilities: { tools: {}, resources: {} },
        instructions,
        jsonSchemaValidator: noValidator
      })
    ),
    (server) => Effect.promise(() => server.close())
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ annotations, description, name, parameters, title }) => ({
      name,
      title,
      description,
      inputSchema: { ...parameters, type: "object" as const },
      annotations
    }))
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { _meta, sendNotification, signal }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool === undefined) {
      const known = tools.map(({ name }) => name).join(", ")
      return Promise.reject(
        new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}. The tools are: ${known}.`)
      )
    }
    const progressToken = _meta?.progressToken
    let progress = 0
    const report: ReportProgress | null = progressToken === undefined ?
      null :
      (message) =>
        Effect.ignore(Effect.tryPromise(() => {
          progress += 1
          return sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } })
        }))
    return run(
      tool.run(params.arguments, report).pipe(
        Effect.match({ onFailure: ({ reason }) => refusal(reason), onSuccess: resultOf }),
        Effect.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : Effect.as(
            Effect.logError(`Call of ${tool.name} by an MCP client failed and was answered with an error`, cause),
            refusal(broken)
          )
        )
      ),
      signal
    )
  })
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, { signal }) =>
    run(
      outputs.list(params?.cursor).pipe(
        Effect.map(({ links, next }) => ({
          resources: links.map((link) => ({ ...link })),
          ...(next === null ? {} : { nextCursor: next })
        })),
        Effect.mapError(({ message }) => new McpError(ErrorCode.InvalidParams, message))
      ),
      signal
    ))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{
      uriTemplate: outputUriTemplate,
      name: "Output of a task",
      description: "A result text or a file of a completed task; get_task lists them"
    }]
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { signal }) =>
    run(
      outputs.read(params.uri).pipe(
        Effect.map((content) => ({ contents: [content] })),
        Effect.mapError(({ message }) => new McpError(resourceNotFound, message))
      ),
      signal
    ))
  return server
})

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

/** Responds to one message of a client, in JSON or as server-sent events. A connection that is closed ends the call. */
export const respond = (
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
  const counted = isWatching(message) ? Effect.flatMap(IncomingRequest, ({ holdStream }) => holdStream) : Effect.void
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
