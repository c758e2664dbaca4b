import { Client, type Progress, ProtocolError, type StandardSchemaV1 } from "@modelcontextprotocol/client"
import { firstLineOf } from "@troupe/domain/Text"
import { Deferred, Duration, Effect, Predicate, Queue, Schedule, type Scope, Stream } from "effect"
import { storable } from "../Runtime/Database/StorableText.ts"
import { type Connection, type ConnectionOptions } from "./Connection.ts"
import { expandedServer } from "./ExpandedServer.ts"
import { failureReason } from "./FailureReason.ts"
import { openHttpTransport } from "./HttpTransport.ts"
import { ConnectionFailed } from "./McpTransport.ts"
import { type Mode, negotiated, NotOpened, probeMillis } from "./Negotiation.ts"
import { makeRedaction, type Redact, redactTool } from "./Redaction.ts"
import type { OnProgress } from "./ServerCall.ts"
import { makeServerCalls, type Send, within } from "./ServerCalls.ts"
import { readerOf, serverToolsOf } from "./ServerTool.ts"
import { isForgotten } from "./SessionForgotten.ts"
import { openStdioTransport } from "./StdioTransport.ts"
import { readPages } from "./ToolPages.ts"
import { noValidator } from "./ToolSchema.ts"
import { serverRefusal, type ToolServer } from "./ToolServer.ts"

/** Starts or reaches the server and initializes the session. Nothing of it is left when the scope has ended. */
export const connect = (
  configured: ToolServer,
  options: ConnectionOptions
): Effect.Effect<Connection, ConnectionFailed, Scope.Scope> =>
  negotiated(configured, (mode) => open(configured, options, mode))

const open = (
  configured: ToolServer,
  options: ConnectionOptions,
  mode: Mode
): Effect.Effect<Connection, ConnectionFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const { secrets, server, values } = yield* Effect.mapError(
      expandedServer(configured),
      (reason) => new ConnectionFailed({ reason })
    )
    const withoutTokens = (redact: Redact): Redact => (text) => options.tokens?.redacted(redact(text)) ?? redact(text)
    const redact = withoutTokens(makeRedaction(server, values))
    const redactSent = withoutTokens(makeRedaction(server, secrets))
    const closed = yield* Deferred.make<string>()
    const changes = yield* Queue.sliding<void>(1)
    const diagnostics = yield* Queue.sliding<string>(100)
    const onDiagnostic = (line: string) => void diagnostics.unsafeOffer(line)
    const refusal = serverRefusal(server, options.rules)
    if (refusal !== null) return yield* new ConnectionFailed({ reason: refusal.reason })
    const { closeReason, lastOutput, transport } = server.transport === "stdio"
      ? yield* openStdioTransport(server, { watchdog: options.watchdog, onDiagnostic, redact }).pipe(
        Effect.mapError(({ reason }) => new ConnectionFailed({ reason: redact(reason) }))
      )
      : yield* openHttpTransport(server, { publicOnly: options.rules.isHosted, tokens: options.tokens })
    yield* Effect.forkScoped(logged(diagnostics, redact))

    const client = new Client({ name: "troupe", version: "1" }, {
      capabilities: { elicitation: { form: {}, url: {} } },
      jsonSchemaValidator: noValidator,
      versionNegotiation: { mode, probe: { timeoutMs: probeMillis } }
    })
    let isInitialized = false
    let isClosed = false
    let hasForgotten = false
    const withOutput = (reason: string): string => [redact(reason), lastOutput()].filter(Boolean).join("\n")
    const setClosed = (reason: string) => {
      isClosed = true
      // The first reason counts: the others are consequences of it.
      Deferred.unsafeDone(closed, Effect.succeed(withOutput(reason)))
    }
    const onclose = () => {
      // The client closes before it says why the session could not be initialized.
      if (isInitialized || closeReason() !== "") setClosed(closeReason() || closedByServer)
    }
    Object.assign(client, { onclose, onerror: () => {} })
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes.unsafeOffer(undefined))

    const reasonOf = (cause: unknown): string => redact(closeReason() || failureReason(cause)).slice(0, maxReason)
    const send: Send = (method, params, onProgress) =>
      Effect.tryPromise({
        try: (signal) =>
          client.request({ method, params: { ...params } }, anyResult, {
            signal,
            timeout: noTimeout,
            allowInputRequired: true,
            ...(onProgress === undefined ? {} : { onprogress: reporting(onProgress, redactSent) })
          }),
        catch: (cause) => {
          if (isForgotten(cause)) {
            hasForgotten = true
            setClosed(failureReason(cause))
          }
          return { cause }
        }
      })
    const request = (method: string, params: Readonly<Record<string, unknown>>, timeout: Duration.Duration) =>
      within(send(method, params), timeout)
    const { call, onQuestion } = yield* makeServerCalls(server.name, {
      send,
      isModern: () => client.getProtocolEra() === "modern",
      isClosed: () => isClosed,
      reasonOf,
      redact: redactSent
    })
    client.setRequestHandler("elicitation/create", ({ params }) => onQuestion(params))

    yield* Effect.tryPromise({
      try: (signal) => client.connect(transport, { signal, timeout: noTimeout }),
      catch: (cause) => new NotOpened({ cause, reason: withOutput(reasonOf(cause)) })
    }).pipe(
      Effect.raceFirst(Effect.flatMap(Deferred.await(closed), (reason) => new ConnectionFailed({ reason }))),
      // A transport may neither open nor fail.
      Effect.disconnect,
      Effect.timeoutFail({
        duration: options.connectTimeout,
        onTimeout: () =>
          new ConnectionFailed({
            reason: withOutput(`it did not start within ${Duration.format(options.connectTimeout)}`)
          })
      })
    )
    isInitialized = true
    const isModern = client.getProtocolEra() === "modern"
    if (isModern && client.getServerCapabilities()?.tools?.listChanged === true) {
      yield* Effect.forkScoped(listening(client))
    }
    if (client.transport === undefined) {
      return yield* new ConnectionFailed({ reason: withOutput(closeReason() || closedByServer) })
    }

    const list = Effect.gen(function*() {
      const capabilities = client.getServerCapabilities()
      if (capabilities?.tools === undefined) return { tools: [], warnings: [] }
      const pages = yield* Effect.mapError(
        readPages(
          (cursor) =>
            Effect.mapError(
              request("tools/list", cursor === undefined ? {} : { cursor }, options.connectTimeout),
              ({ cause }) => reasonOf(cause)
            ),
          options.connectTimeout
        ),
        (reason) => new ConnectionFailed({ reason: `it does not list its tools: ${reason}` })
      )
      // What the next connection lists is more.
      if (isClosed) return yield* new ConnectionFailed({ reason: yield* Deferred.await(closed) })
      const { tools, warnings } = serverToolsOf(server.name, pages.listed.map((tool) => redactTool(tool, redactSent)))
      return {
        tools: capabilities.resources === undefined ? tools : [...tools, readerOf(server.name)],
        warnings: [...pages.warnings, ...warnings.map(redact)]
      }
    })
    return {
      list,
      listChanged: Stream.fromQueue(changes),
      call,
      ping: Effect.match(request(isModern ? "server/discover" : "ping", {}, Duration.seconds(10)), {
        onFailure: ({ cause }) => cause instanceof ProtocolError && cause.code === methodNotFound,
        onSuccess: () => true
      }),
      closed: Deferred.await(closed),
      isClosed: () => isClosed,
      isForgotten: () => hasForgotten,
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

/** Any object is a result: what is in it is checked where it is used. */
const anyResult: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  "~standard": {
    version: 1,
    vendor: "troupe",
    validate: (value) => Predicate.isReadonlyRecord(value) ? { value } : { issues: [{ message: "it is no object" }] }
  }
}

/** Since 2026-07-28 a server announces a changed list only to who listens. */
const listening = (client: Client) =>
  Effect.tryPromise((signal) => client.listen({ toolsListChanged: true }, { signal, timeout: listenMillis })).pipe(
    Effect.flatMap(({ closed }) => Effect.promise(() => closed)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced("10 seconds"))
  )

const listenMillis = 10_000

const methodNotFound = -32_601

const maxReason = 4_000

const logged = (lines: Queue.Dequeue<string>, redact: Redact) =>
  Stream.fromQueue(lines).pipe(
    Stream.filter((line) => line.trim() !== ""),
    Stream.runForEach((line) => Effect.logDebug(redact(line).slice(0, 500)))
  )
