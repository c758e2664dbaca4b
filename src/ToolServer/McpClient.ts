import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SseError } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  McpError,
  type Progress,
  ResultSchema,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import { firstLineOf, plural } from "@troupe/domain/Text"
import { Deferred, Duration, Effect, Predicate, Queue, Record, Schema, type Scope, Stream } from "effect"
import { storable } from "../Runtime/Database/StorableText.ts"
import { type Connection, ConnectionFailed, type ConnectionOptions } from "./Connection.ts"
import { openHttpTransport } from "./HttpTransport.ts"
import { makeRedaction, type Redact, redactTool, redactValue } from "./Redaction.ts"
import { CallFailed, type OnProgress } from "./ServerCall.ts"
import { maxTools, readerOf, resourceReader, serverToolsOf } from "./ServerTool.ts"
import { openStdioTransport } from "./StdioTransport.ts"
import { noValidator } from "./ToolSchema.ts"
import { serverRefusal, type ToolServer } from "./ToolServer.ts"

const maxPages = 50

/** Starts or reaches the server and initializes the session. Nothing of it is left when the scope has ended. */
export const connect = (
  server: ToolServer,
  options: ConnectionOptions
): Effect.Effect<Connection, ConnectionFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const redact = makeRedaction(server)
    const closed = yield* Deferred.make<string>()
    const changes = yield* Queue.sliding<void>(1)
    const diagnostics = yield* Queue.sliding<string>(100)
    const onDiagnostic = (line: string) => void diagnostics.unsafeOffer(line)
    const refusal = serverRefusal(server, options.rules)
    if (refusal !== null) return yield* new ConnectionFailed({ reason: refusal.reason })
    const { closeReason, transport } = server.transport === "stdio"
      ? yield* openStdioTransport(server, { watchdog: options.watchdog, onDiagnostic }).pipe(
        Effect.mapError(({ reason }) => new ConnectionFailed({ reason: redact(reason) }))
      )
      : yield* openHttpTransport(server, { publicOnly: options.rules.isHosted })
    yield* Effect.forkScoped(logged(diagnostics, redact))

    const client = new Client({ name: "troupe", version: "1" }, { capabilities: {}, jsonSchemaValidator: noValidator })
    let isInitialized = false
    let isClosed = false
    const setClosed = (reason: string) => {
      isClosed = true
      // The first reason counts: the others are consequences of it.
      Deferred.unsafeDone(closed, Effect.succeed(redact(reason)))
    }
    const onclose = () => {
      // The client closes before it says why the session could not be initialized.
      if (isInitialized || closeReason() !== "") setClosed(closeReason() || closedByServer)
    }
    Object.assign(client, { onclose, onerror: () => {} })
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes.unsafeOffer(undefined))

    const reasonOf = (cause: unknown): string => redact(closeReason() || failureReason(cause)).slice(0, 500)
    const request = (
      method: string,
      params: Readonly<Record<string, unknown>>,
      timeout: Duration.Duration,
      onProgress?: OnProgress
    ) =>
      Effect.tryPromise({
        try: (signal) =>
          client.request({ method, params: { ...params } }, ResultSchema, {
            signal,
            timeout: noTimeout,
            ...(onProgress === undefined ? {} : { onprogress: reporting(onProgress, redact) })
          }),
        catch: (cause) => ({ cause })
      }).pipe(
        Effect.timeoutFail({
          duration: timeout,
          onTimeout: () => ({ cause: new McpError(requestTimeout, "Request timed out") })
        })
      )

    yield* Effect.tryPromise({
      try: (signal) => client.connect(transport, { signal, timeout: noTimeout }),
      catch: (cause) => new ConnectionFailed({ reason: reasonOf(cause) })
    }).pipe(
      Effect.raceFirst(Effect.flatMap(Deferred.await(closed), (reason) => new ConnectionFailed({ reason }))),
      // A transport may neither open nor fail.
      Effect.disconnect,
      Effect.timeoutFail({
        duration: options.connectTimeout,
        onTimeout: () =>
          new ConnectionFailed({ reason: `it did not start within ${Duration.format(options.connectTimeout)}` })
      })
    )
    isInitialized = true
    if (client.transport === undefined) {
      return yield* new ConnectionFailed({ reason: redact(closeReason() || closedByServer) })
    }

    const page = (cursor: string | undefined) =>
      request("tools/list", cursor === undefined ? {} : { cursor }, options.connectTimeout).pipe(
        Effect.flatMap((result) => Effect.mapError(decodePage(result), (cause) => ({ cause }))),
        Effect.mapError(({ cause }) =>
          new ConnectionFailed({ reason: `it does not list its tools: ${reasonOf(cause)}` })
        )
      )
    const list = Effect.gen(function*() {
      if (client.getServerCapabilities()?.tools === undefined) return []
      const listed: Array<unknown> = []
      let cursor: string | undefined = undefined
      for (let pages = 0; pages < maxPages && listed.length < maxTools; pages++) {
        const { nextCursor, tools }: typeof Page.Type = yield* page(cursor)
        listed.push(...tools.slice(0, maxTools))
        if (nextCursor === undefined || nextCursor === null) break
        cursor = nextCursor
      }
      const tools = serverToolsOf(server.name, listed.map((tool) => redactTool(tool, redact)))
      if (tools.length < listed.length) {
        yield* Effect.logWarning(
          `Tool server ${server.name}: ${
            plural(listed.length - tools.length, "tool")
          } left out: invalid, run only as tasks of the protocol, or beyond ${maxTools}`
        )
      }
      return client.getServerCapabilities()?.resources === undefined ? tools : [...tools, readerOf(server.name)]
    })
    const read = (uri: unknown, timeout: Duration.Duration, onProgress?: OnProgress) =>
      Effect.map(request("resources/read", { uri }, timeout, onProgress), ({ contents }) => ({
        content: Array.isArray(contents) ? contents.map((resource: unknown) => ({ type: "resource", resource })) : []
      }))

    return {
      list,
      listChanged: Stream.fromQueue(changes),
      call: (tool, args, timeout, onProgress) =>
        Effect.mapBoth(
          tool === resourceReader
            ? read(args["uri"], timeout, onProgress)
            : request("tools/call", { name: tool, arguments: args }, timeout, onProgress),
          {
            onFailure: ({ cause }) => callFailed(cause, timeout, isClosed, reasonOf),
            onSuccess: (result: Readonly<Record<string, unknown>>) =>
              Record.map(result, (value) => redactValue(value, redact))
          }
        ),
      ping: Effect.match(request("ping", {}, Duration.seconds(10)), {
        onFailure: ({ cause }) => cause instanceof McpError && cause.code === methodNotFound,
        onSuccess: () => true
      }),
      closed: Deferred.await(closed),
      isClosed: () => isClosed,
      close: (reason) => {
        setClosed(reason)
        void client.close().catch(() => {})
      }
    }
  })

const reporting = (onProgress: OnProgress, redact: Redact) => ({ message, progress, total }: Progress): void =>
  onProgress({
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: firstLineOf(storable(redact(message))) })
  })

const closedByServer = "it closed the connection"

/** The longest that the protocol's library takes: time-outs are Effect's, whose interruption cancels the request. */
const noTimeout = 2 ** 31 - 1

const methodNotFound = -32_601
const requestTimeout = -32_001
const connectionClosed = -32_000

const Page = Schema.Struct({
  tools: Schema.Array(Schema.Unknown),
  nextCursor: Schema.optional(Schema.NullOr(Schema.String))
})
const decodePage = Schema.decodeUnknown(Page)

const callFailed = (
  cause: unknown,
  timeout: Duration.Duration,
  isClosed: boolean,
  reasonOf: (cause: unknown) => string
): CallFailed => {
  if (cause instanceof McpError && cause.code === requestTimeout) {
    return new CallFailed({ what: "timedOut", reason: `it did not respond within ${Duration.format(timeout)}` })
  }
  const isAnswer = cause instanceof McpError && cause.code !== connectionClosed && !isClosed
  return new CallFailed({ what: isAnswer ? "refused" : "lost", reason: reasonOf(cause) })
}

const logged = (lines: Queue.Dequeue<string>, redact: Redact) =>
  Stream.fromQueue(lines).pipe(
    Stream.filter((line) => line.trim() !== ""),
    Stream.runForEach((line) => Effect.logDebug(redact(line).slice(0, 500)))
  )

const failureReason = (cause: unknown): string => {
  const message = messageOf(cause)
  if (cause instanceof Error && cause.name === "ZodError") {
    return "its answer is not of the protocol: it is no MCP server, or a broken one"
  }
  if (!(cause instanceof StreamableHTTPError) && !(cause instanceof SseError)) return message
  if (/content type/i.test(message)) return `it is no MCP server: ${message}`
  const { code } = cause
  if (code === undefined || code < 300) return message
  const text = message.replace(/^[\w ]*error: (?:Error POSTing to endpoint: |Non-200 status code \(\d+\))?/i, "").trim()
  const isPage = text.startsWith("<")
  return `it answers with status ${code}${adviceFor(code)}${text === "" || isPage ? "" : `: ${text}`}`
}

const adviceFor = (status: number): string => {
  if (status === 401 || status === 403) return " (check the token in its headers)"
  if (status < 400) return " (configure the address that it moved to)"
  const isElsewhere = [404, 405, 406, 410].includes(status)
  return isElsewhere ? " (there is no MCP server at this url, or one of the other type, http or sse)" : ""
}

const messageOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") && Predicate.isString(cause.message) ? cause.message : "it does not answer"
