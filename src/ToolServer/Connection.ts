import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { McpError, ResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { Data, Deferred, Duration, Effect, Queue, Record, Schema, type Scope, Stream } from "effect"
import { type LineOptions, openLine } from "./Line.ts"
import { makeScrubber, scrubbed, scrubbedTool } from "./Scrubber.ts"
import { maxTools, type ServerTool, serverToolsOf } from "./ServerTool.ts"
import type { ToolServer } from "./ToolServer.ts"
import { wordsOf } from "./TurnedDown.ts"

/** No connection came about. */
export class ConnectFailed extends Data.TaggedError("ConnectFailed")<{ readonly reason: string }> {}

/** A call came to nothing: the server refused it, did not answer in time, or was gone before it answered. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly what: "refused" | "timedOut" | "lost"
  readonly reason: string
}> {}

export interface ConnectionOptions extends LineOptions {
  readonly connectTimeout: Duration.Duration
}

/** A live connection to a tool server. */
export interface Connection {
  /** What it lists; bounded, and nothing that can't be used. */
  readonly list: Effect.Effect<ReadonlyArray<ServerTool>, ConnectFailed>
  /** Emits when the server says that its list has changed; hints that come together are one. */
  readonly listChanged: Stream.Stream<void>
  /** The raw result, without the server's secrets. Interrupting it tells the server that the call is cancelled, as does the time-out. */
  readonly call: (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    timeout: Duration.Duration
  ) => Effect.Effect<Readonly<Record<string, unknown>>, CallFailed>
  /** Whether it still answers. */
  readonly ping: Effect.Effect<boolean>
  /** Answers, with the reason in words, once the connection is gone. */
  readonly closed: Effect.Effect<string>
  readonly isClosed: () => boolean
  readonly close: (why: string) => void
  /** Takes the server's secrets out of a text. */
  readonly scrub: (text: string) => string
}

/** Most pages of a server's list that are asked for. */
const maxPages = 50

/**
 * Starts or reaches the server and greets it. Everything that belongs to the connection, processes included, is gone
 * when the scope is closed.
 */
export const connect = (
  server: ToolServer,
  options: ConnectionOptions
): Effect.Effect<Connection, ConnectFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const scrub = makeScrubber(server)
    const gone = yield* Deferred.make<string>()
    const changes = yield* Queue.sliding<void>(1)
    const diagnostics = yield* Queue.sliding<string>(100)
    const client = new Client({ name: "troupe", version: "1" }, { capabilities: {}, jsonSchemaValidator: noValidator })

    const line = yield* openLine(server, options, (text) => void diagnostics.unsafeOffer(text))
    // The first reason is the true one; what follows from it says less.
    let isGone = false
    const end = (why: string) => {
      isGone = true
      Deferred.unsafeDone(gone, Effect.succeed(scrub(why)))
    }
    line.onBroken((why) => {
      end(why)
      void client.close().catch(ignored)
    })
    let isGreeted = false
    const onclose = () => {
      const obituary = line.obituary()
      // The protocol's client closes before it says why no connection came about.
      if (isGreeted || obituary !== "") end(obituary || closedByServer)
    }
    Object.assign(client, { onclose, onerror: ignored })
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes.unsafeOffer(undefined))
    yield* logged(diagnostics, scrub).pipe(Effect.forkScoped)

    const reasonOf = (cause: unknown): string => {
      const obituary = line.obituary()
      return scrub(obituary === "" ? wordsOf(cause) : obituary).slice(0, 500)
    }
    const request = (method: string, params: Readonly<Record<string, unknown>>, timeout: Duration.Duration) =>
      Effect.tryPromise({
        try: (signal) =>
          client.request({ method, params: { ...params } }, ResultSchema, {
            signal,
            timeout: Duration.toMillis(timeout)
          }),
        catch: (cause) => ({ cause })
      })

    yield* Effect.tryPromise({
      try: (signal) => client.connect(line.transport, { signal, timeout: Duration.toMillis(options.connectTimeout) }),
      catch: (cause) => new ConnectFailed({ reason: reasonOf(cause) })
    }).pipe(
      Effect.raceFirst(Effect.flatMap(Deferred.await(gone), (reason) => new ConnectFailed({ reason }))),
      // A transport that neither opens nor fails is no reason to wait for ever.
      Effect.disconnect,
      Effect.timeoutFail({
        duration: options.connectTimeout,
        onTimeout: () =>
          new ConnectFailed({ reason: `it did not start within ${Duration.format(options.connectTimeout)}` })
      })
    )
    isGreeted = true
    if (client.transport === undefined) {
      return yield* new ConnectFailed({ reason: scrub(line.obituary() || closedByServer) })
    }

    const page = (cursor: string | undefined) =>
      request("tools/list", cursor === undefined ? {} : { cursor }, options.connectTimeout).pipe(
        Effect.flatMap((result) => Effect.mapError(decodePage(result), (cause) => ({ cause }))),
        Effect.mapError(({ cause }) => new ConnectFailed({ reason: `it does not list its tools: ${reasonOf(cause)}` }))
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
      const tools = serverToolsOf(server.name, listed.map((tool) => scrubbedTool(tool, scrub)))
      if (tools.length < listed.length) {
        yield* Effect.logWarning(
          `${listed.length - tools.length} tools of ${server.name} are left out: they can't be used, or are too many`
        )
      }
      return tools
    })

    const isClosed = () => isGone
    return {
      list,
      listChanged: Stream.fromQueue(changes),
      call: (tool, args, timeout) =>
        Effect.mapBoth(request("tools/call", { name: tool, arguments: args }, timeout), {
          onFailure: ({ cause }) => failureOf(cause, timeout, isClosed(), reasonOf),
          onSuccess: (result) => Record.map(result, (value) => scrubbed(value, scrub))
        }),
      ping: Effect.match(request("ping", {}, Duration.seconds(10)), {
        onFailure: ({ cause }) => cause instanceof McpError && cause.code === methodNotFound,
        onSuccess: () => true
      }),
      closed: Deferred.await(gone),
      isClosed,
      close: (why) => {
        end(why)
        void client.close().catch(ignored)
      },
      scrub
    }
  })

const ignored = () => {}

const closedByServer = "it closed the connection"

const methodNotFound = -32_601
const requestTimeout = -32_001
const connectionClosed = -32_000

const Page = Schema.Struct({
  tools: Schema.Array(Schema.Unknown),
  nextCursor: Schema.optional(Schema.NullOr(Schema.String))
})
const decodePage = Schema.decodeUnknown(Page)

const failureOf = (
  cause: unknown,
  timeout: Duration.Duration,
  isClosed: boolean,
  reasonOf: (cause: unknown) => string
): CallFailed => {
  if (cause instanceof McpError && cause.code === requestTimeout) {
    return new CallFailed({ what: "timedOut", reason: `it did not answer within ${Duration.format(timeout)}` })
  }
  const isAnswer = cause instanceof McpError && cause.code !== connectionClosed && !isClosed
  return new CallFailed({ what: isAnswer ? "refused" : "lost", reason: reasonOf(cause) })
}

/** Output schemas are the server's own: compiling them would run what a stranger wrote, for nothing. */
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "not checked" })
}

/** What a server writes to its standard error helps whoever wonders why it fails, and nobody else. */
const logged = (lines: Queue.Dequeue<string>, scrub: (text: string) => string) =>
  Stream.fromQueue(lines).pipe(
    Stream.filter((line) => line.trim() !== ""),
    Stream.runForEach((line) => Effect.logDebug(scrub(line).slice(0, 500)))
  )
