import { Agent, fetch } from "@effect/platform-node/Undici"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { makeEventMeter } from "./EventMeter.ts"
import { type FloodMeter, makeFloodMeter, maxMessageBytes } from "./FloodMeter.ts"
import { isPublicAddress } from "./HostedRules.ts"

export interface HttpOptions {
  readonly transport: "http" | "sse"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Connect to addresses of the public internet only, whatever a name resolves to. */
  readonly publicOnly: boolean
  /** The other side is gone, or has forgotten us: nothing more will come over this connection. */
  readonly onBroken: (why: string) => void
  readonly now: () => number
}

/** A transport to a server elsewhere over connections of its own; `dispose` ends them all. */
export interface HttpTransport {
  readonly transport: Transport
  readonly dispose: () => Promise<void>
}

export const makeHttpTransport = (options: HttpOptions): HttpTransport => {
  // Answers may take as long as the call that waits for them, and a stream of events may be silent for hours.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000, ...(options.publicOnly ? { lookup: publicLookup } : {}) }
  })
  const url = new URL(options.url)
  const meter = makeFloodMeter(options.now, options.onBroken)
  const settings = { fetch: watched(agent, options, meter), requestInit: { headers: { ...options.headers } } }
  if (options.transport === "sse") {
    const transport = new SSEClientTransport(url, settings)
    meter.watch(transport)
    return { transport, dispose: () => transport.close().then(() => agent.destroy()) }
  }
  const transport = new StreamableHTTPClientTransport(url, {
    ...settings,
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 5
    }
  })
  meter.watch(transport)
  const farewell = () => transport.terminateSession().catch(() => {})
  return {
    transport,
    dispose: () => Promise.race([farewell(), delay(1_000)]).then(() => transport.close()).then(() => agent.destroy())
  }
}

const delay = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis).unref())

/** Resolves a name for a connection, so that what was judged is what is connected to. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "", 0)
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = allowed
    if (first === undefined) {
      return callback(new Error(`${hostname} has no address that may be connected to from here`), "", 0)
    }
    return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family)
  })
}

/** `fetch` as the protocol's transports use it: bounded, over our connections, and watched for the end of the line. */
const watched = (agent: Agent, { onBroken, transport }: HttpOptions, meter: FloodMeter): FetchLike => {
  // The first message greets: before it was taken, there is no session to forget.
  let isGreeted = false
  return (url, init = {}) => {
    const { body, headers, method = "GET", signal } = init
    const isPost = method === "POST"
    const isStream = transport === "sse" && method === "GET"
    const request = fetch(url, {
      method,
      redirect: "manual",
      headers: [...new Headers(headers)],
      dispatcher: agent,
      ...(typeof body === "string" ? { body } : {}),
      ...(signal === undefined || signal === null ? {} : { signal })
    })
    const broken = (why: string) => {
      if (signal?.aborted !== true) onBroken(why)
    }
    return request.then((response) => {
      const { status, statusText } = response
      if (isPost && isGreeted && status === 404) broken("it has forgotten the session")
      if (isPost && response.ok) isGreeted = true
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

/** Counts the bytes of a message that is the whole answer. */
const makeBodyMeter = (meter: FloodMeter): (chunk: Uint8Array) => number => {
  let bytes = 0
  return (chunk) => {
    meter.bytes(chunk.byteLength)
    return bytes += chunk.byteLength
  }
}

/** Passes on what is read. `count` takes each chunk and returns the bytes of the message that it ends in, so far. */
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
        onBroken("the connection was cut")
        controller.error(cause)
      }),
    cancel: () => reader.cancel()
  })
}

/** undici hides what happened one level down. */
const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : "it can't be reached"
}
