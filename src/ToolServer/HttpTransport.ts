import { Agent, fetch } from "@effect/platform-node/Undici"
import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport
} from "@modelcontextprotocol/client"
import { Effect, type Scope } from "effect"
import { setImmediate, setTimeout } from "node:timers/promises"
import { publicLookup } from "../Runtime/NetworkAddress.ts"
import { type FloodMeter, makeEventMeter, makeFloodMeter, maxMessageBytes } from "./FloodMeter.ts"
import type { McpTransport } from "./McpTransport.ts"
import { saysForgotten, SessionForgotten } from "./SessionForgotten.ts"
import type { TokenSource } from "./TokenSource.ts"
import { type HttpServer, revealed } from "./ToolServer.ts"

export const openHttpTransport = (
  server: HttpServer,
  options: {
    /** Whatever a name resolves to. */
    readonly publicOnly: boolean
    readonly tokens?: TokenSource | undefined
  }
): Effect.Effect<McpTransport, never, Scope.Scope> =>
  Effect.flatMap(Effect.clock, (clock) =>
    Effect.acquireRelease(
      Effect.sync(() => makeTransport(server, options, () => clock.unsafeCurrentTimeMillis())),
      ({ dispose }) => Effect.ignore(Effect.tryPromise(dispose))
    ))

/** How long the end of a connection waits for responses. */
const endMillis = 2_000

const makeTransport = (
  { headers, transport: kind, url }: HttpServer,
  { publicOnly, tokens }: Parameters<typeof openHttpTransport>[1],
  now: () => number
) => {
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
  const posts = makePosts()
  const settings = {
    fetch: posted(authorized(watched(agent, kind, abort, meter, posts.forget), tokens), posts),
    requestInit: { headers: { ...revealed(headers) } }
  }
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
  // Calls that were sent together are all told that the session is forgotten, before the connection is cut.
  const endSession = () =>
    posts.wasForgotten() ? posts.answered().then(() => setImmediate()) : streamable?.terminateSession().catch(() => {})
  const endSoon = () => Promise.race([endSession(), setTimeout(endMillis, undefined, { ref: false })])
  const dispose = () => endSoon().then(() => transport.close()).then(() => agent.destroy())
  return { transport, dispose, closeReason: () => reason, lastOutput: () => "" }
}

/** `fetch` whose messages count as sent from the start, also while an access token is got for them. */
const posted = (send: FetchLike, posts: Posts): FetchLike => (url, init) => {
  const response = send(url, init)
  if (init?.method === "POST") posts.add(response)
  return response
}

/** `fetch` with an access token, and once more with another one if the server refuses it. */
const authorized = (send: FetchLike, tokens: TokenSource | undefined): FetchLike =>
  tokens === undefined ? send : (url, init = {}) => {
    const attempt = (isLast: boolean): Promise<Response> =>
      tokens.authorization().then((token) => {
        const headers = new Headers(init.headers)
        if (token !== null) headers.set("authorization", token)
        return send(url, { ...init, headers }).then((response) => {
          const { ok, status } = response
          if (ok) tokens.accepted()
          if (isLast || (status !== 401 && status !== 403)) return response
          const challenge = response.headers.get("www-authenticate")
          return tokens.refused({ status, challenge }, token).then((isOther) => {
            if (!isOther) return response
            return (response.body?.cancel() ?? Promise.resolve()).then(() => attempt(true))
          })
        })
      })
    return attempt(false)
  }

interface Posts {
  readonly add: (response: Promise<unknown>) => void
  readonly forget: () => void
  readonly wasForgotten: () => boolean
  /** All messages that were sent have a response, whose body may still follow. */
  readonly answered: () => Promise<unknown>
}

const makePosts = (): Posts => {
  const open = new Set<Promise<unknown>>()
  let isForgotten = false
  return {
    add: (response) => {
      const end = () => void open.delete(response)
      open.add(response)
      response.then(end, end)
    },
    forget: () => {
      isForgotten = true
    },
    wasForgotten: () => isForgotten,
    answered: () => Promise.allSettled(open)
  }
}

/** `fetch` as the protocol's transports use it: over our connections, with limits, and aborted when the server has ended. */
const watched = (
  agent: Agent,
  kind: HttpServer["transport"],
  abort: (reason: string) => void,
  meter: FloodMeter,
  forget: () => void
): FetchLike => {
  // Before the first message was accepted there is no session.
  let hasSession = false
  return (url, init = {}) => {
    const { body, method = "GET", signal } = init
    const headers = new Headers(init.headers)
    const isPost = method === "POST"
    // Since 2026-07-28 there are no sessions, and announcements come in the response to a request of their own.
    const isModern = headers.has("mcp-method")
    const isAwaited = isPost && headers.get("mcp-method") !== "subscriptions/listen"
    const isStream = kind === "sse" && method === "GET"
    const request = fetch(url, {
      method,
      redirect: "manual",
      headers: [...headers],
      dispatcher: agent,
      ...(typeof body === "string" ? { body } : {}),
      ...(signal === undefined || signal === null ? {} : { signal })
    })
    const broken = (reason: string) => {
      if (signal?.aborted !== true) abort(reason)
    }
    const response = request.then((response) => {
      const { status, statusText } = response
      const init = { status, statusText, headers: [...response.headers] }
      if (response.body === null || [101, 204, 205, 304].includes(status)) return new Response(null, init)
      const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true
      const count = isEvents ? makeEventMeter(meter) : makeBodyMeter(meter)
      const reader = response.body.getReader()
      return new Response(bounded(reader, count, isAwaited || isStream ? broken : () => {}, isStream), init)
    }, (cause: unknown) => {
      if (isAwaited || isStream) broken(reasonOf(cause))
      throw cause
    })
    if (!isPost) return response
    return response.then((response) => {
      if (response.ok && !isModern) hasSession = true
      return hasSession && !isModern && response.status >= 400 ? rememberedOr(response, forget) : response
    })
  }
}

/** The same response, unless it says that the session is forgotten. */
const rememberedOr = (response: Response, forget: () => void): Promise<Response> =>
  response.text().then((text) => {
    const { headers, status, statusText } = response
    if (!saysForgotten(status, text)) return new Response(text, { status, statusText, headers })
    forget()
    throw new SessionForgotten({ status, text })
  })

interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: unknown }>
  readonly cancel: () => Promise<void>
}

const makeBodyMeter = (meter: FloodMeter): (chunk: Uint8Array) => number => {
  let bytes = 0
  return (chunk) => {
    meter.add(chunk.byteLength, 0)
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
