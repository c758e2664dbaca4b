import { Agent, fetch } from "@effect/platform-node/Undici"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect, type Scope } from "effect"
import { setTimeout } from "node:timers/promises"
import { publicLookup } from "../Runtime/NetworkAddress.ts"
import type { McpTransport } from "./Connection.ts"
import { type FloodMeter, makeEventMeter, makeFloodMeter, maxMessageBytes } from "./FloodMeter.ts"
import { type HttpServer, revealed } from "./ToolServer.ts"

export const openHttpTransport = (
  server: HttpServer,
  options: {
    /** Whatever a name resolves to. */
    readonly publicOnly: boolean
  }
): Effect.Effect<McpTransport, never, Scope.Scope> =>
  Effect.flatMap(Effect.clock, (clock) =>
    Effect.acquireRelease(
      Effect.sync(() => makeTransport(server, options.publicOnly, () => clock.unsafeCurrentTimeMillis())),
      ({ dispose }) => Effect.ignore(Effect.tryPromise(dispose))
    ))

const makeTransport = ({ headers, transport: kind, url }: HttpServer, publicOnly: boolean, now: () => number) => {
  // Answers may take as long as the call that waits for them, and a stream of events may be silent for hours.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000, ...(publicOnly ? { lookup: publicLookup } : {}) }
  })
  let reason = ""
  const abort = (why: string) => {
    if (reason === "") reason = why
    void transport.close().catch(() => {})
  }
  const meter = makeFloodMeter(now, abort)
  const settings = { fetch: watched(agent, kind, abort, meter), requestInit: { headers: { ...revealed(headers) } } }
  const streamable = kind === "sse" ? null : new StreamableHTTPClientTransport(new URL(url), {
    ...settings,
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 5
    }
  })
  const transport: Transport = streamable ?? new SSEClientTransport(new URL(url), settings)
  meter.watch(transport)
  const endSession = () =>
    Promise.race([streamable?.terminateSession().catch(() => {}), setTimeout(1_000, undefined, { ref: false })])
  const dispose = () => endSession().then(() => transport.close()).then(() => agent.destroy())
  return { transport, dispose, closeReason: () => reason }
}

/** `fetch` as the protocol's transports use it: over our connections, with limits, and aborted when the server has ended. */
const watched = (
  agent: Agent,
  kind: HttpServer["transport"],
  abort: (reason: string) => void,
  meter: FloodMeter
): FetchLike => {
  // Before the first message was accepted there is no session.
  let hasSession = false
  return (url, init = {}) => {
    const { body, headers, method = "GET", signal } = init
    const isPost = method === "POST"
    const isStream = kind === "sse" && method === "GET"
    const request = fetch(url, {
      method,
      redirect: "manual",
      headers: [...new Headers(headers)],
      dispatcher: agent,
      ...(typeof body === "string" ? { body } : {}),
      ...(signal === undefined || signal === null ? {} : { signal })
    })
    const broken = (reason: string) => {
      if (signal?.aborted !== true) abort(reason)
    }
    return request.then((response) => {
      const { status, statusText } = response
      if (isPost && hasSession && status === 404) broken("it does not know the session any more")
      if (isPost && response.ok) hasSession = true
      const init = { status, statusText, headers: [...response.headers] }
      if (response.body === null || [101, 204, 205, 304].includes(status)) return new Response(null, init)
      const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true
      const count = isEvents ? makeEventMeter(meter) : makeBodyMeter(meter)
      const reader = response.body.getReader()
      return new Response(bounded(reader, count, isPost || isStream ? broken : () => {}, isStream), init)
    }, (cause: unknown) => {
      if (isPost || isStream) broken(reasonOf(cause))
      throw cause
    })
  }
}

interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: unknown }>
  readonly cancel: () => Promise<void>
}

const makeBodyMeter = (meter: FloodMeter): (chunk: Uint8Array) => number => {
  let bytes = 0
  return (chunk) => {
    meter.bytes(chunk.byteLength)
    return bytes += chunk.byteLength
  }
}

/** Passes the chunks on. `count` takes each chunk and returns the size of the message that it belongs to, so far. */
const bounded = (
  reader: Reader,
  count: (chunk: Uint8Array) => number,
  onBroken: (why: string) => void,
  endIsBroken: boolean
): ReadableStream<Uint8Array> => {
  return new ReadableStream<Uint8Array>({
    pull: (controller) =>
      reader.read().then(({ done, value }) => {
        if (done || !(value instanceof Uint8Array)) {
          if (endIsBroken) onBroken("it ended the stream of events")
          return controller.close()
        }
        if (count(value) > maxMessageBytes) {
          onBroken("it sent a message of more than 10 MB")
          void reader.cancel().catch(() => {})
          return controller.error(new Error("too long"))
        }
        return controller.enqueue(value)
      }, (cause: unknown) => {
        onBroken("the connection was lost")
        controller.error(cause)
      }),
    cancel: () => reader.cancel()
  })
}

const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : "it can't be reached"
}
