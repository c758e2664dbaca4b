import { NodeStream } from "@effect/platform-node"
import { Agent, type Dispatcher } from "@effect/platform-node/Undici"
import { Context, Data, Effect, Layer, Predicate, type Scope, type Stream } from "effect"

/** One HTTP request to a model provider. */
export interface Exchange {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The whole exchange may take this long. */
  readonly timeoutMillis: number
}

export type ReplyHeaders = Readonly<Record<string, string | Array<string> | undefined>>

export interface Reply {
  readonly status: number
  readonly headers: ReplyHeaders
  readonly body: string
}

export interface OpenReply {
  readonly status: number
  readonly headers: ReplyHeaders
  readonly chunks: Stream.Stream<Uint8Array, ExchangeFailed>
}

/** No complete answer came. `code` is the socket's word for it (`ECONNREFUSED`), never a text of the other side. */
export class ExchangeFailed extends Data.TaggedError("ExchangeFailed")<{
  readonly what: "badAddress" | "timedOut" | "tooLong" | "unreachable"
  readonly code: string
}> {}

/** No answer is read beyond this. */
export const maxReplyBytes = 16 * 1024 * 1024

/**
 * HTTP as the model adapters need it. A port of its own: at four model calls a task the general client, and a
 * time-out that races two fibers, would be a fifth of what a task costs.
 */
export class Transport extends Context.Tag("troupe/Model/Transport")<Transport, {
  /** Sends, and answers with the whole body. */
  readonly exchange: (exchange: Exchange) => Effect.Effect<Reply, ExchangeFailed>
  /** Sends, and answers as soon as the headers are there; the connection lasts as long as the scope. */
  readonly open: (exchange: Exchange) => Effect.Effect<OpenReply, ExchangeFailed, Scope.Scope>
}>() {
  /** Over kept-alive connections of its own. */
  static readonly layer: Layer.Layer<Transport> = Layer.scoped(
    this,
    Effect.map(
      Effect.acquireRelease(Effect.sync(() => new Agent()), (agent) => Effect.promise(() => agent.destroy())),
      (agent) => {
        const exchange = (request: Exchange) => exchangeOver(agent, request)
        return Transport.of({ exchange, open: (request) => openOver(agent, request) })
      }
    )
  )
}

const optionsOf = ({ body, headers, method, timeoutMillis, url }: Exchange) => {
  const { origin, pathname, search } = new URL(url)
  return {
    origin,
    path: pathname + search,
    method,
    headers,
    body,
    headersTimeout: timeoutMillis,
    bodyTimeout: timeoutMillis
  }
}

/** Through the lowest layer of the client: its streams and promises would cost as much as all the rest of the call. */
const exchangeOver = (agent: Agent, request: Exchange): Effect.Effect<Reply, ExchangeFailed> =>
  Effect.async<Reply, ExchangeFailed>((resume) => {
    if (!URL.canParse(request.url)) return resume(badAddress)
    let controller: Dispatcher.DispatchController | null = null
    let hasEnded = false
    const end = (result: Effect.Effect<Reply, ExchangeFailed>) => {
      clearTimeout(timer)
      hasEnded = true
      resume(result)
    }
    const hangUp = () => controller?.abort(givenUp)
    const giveUp = (failure: ExchangeFailed) => {
      end(Effect.fail(failure))
      hangUp()
    }
    const timer = setTimeout(giveUp, request.timeoutMillis, late)
    let reply: Omit<Reply, "body"> = { status: 0, headers: {} }
    const chunks: Array<Buffer> = []
    let bytes = 0
    agent.dispatch(optionsOf(request), {
      onRequestStart: (started) => {
        controller = started
        // It was given up while it waited for a connection.
        if (hasEnded) hangUp()
      },
      onResponseStart: (_, status, headers) => {
        reply = { status, headers }
      },
      onResponseData: (_, chunk) => {
        bytes += chunk.byteLength
        if (bytes <= maxReplyBytes) chunks.push(chunk)
        else giveUp(tooLong)
      },
      onResponseEnd: () => end(Effect.succeed({ ...reply, body: text.decode(Buffer.concat(chunks)) })),
      onResponseError: (_, cause) => end(Effect.fail(failureOf(cause)))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      hasEnded = true
      hangUp()
    })
  })

const text = new TextDecoder()

const givenUp = new Error("The answer is no longer wanted")

const openOver = (agent: Agent, request: Exchange): Effect.Effect<OpenReply, ExchangeFailed, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      if (!URL.canParse(request.url)) return yield* badAddress
      const sent = Effect.tryPromise({
        try: (signal) => agent.request({ ...optionsOf(request), signal }),
        catch: failureOf
      })
      const { body, headers, statusCode: status } = yield* restore(sent)
      yield* Effect.addFinalizer(() => Effect.sync(() => body.on("error", ignored).destroy()))
      return { status, headers, chunks: NodeStream.fromReadable<ExchangeFailed, Uint8Array>(() => body, failureOf) }
    })
  )

/** A connection that is cut after its answer was read, or given up, fails nobody. */
const ignored = () => {}

const failed = (what: ExchangeFailed["what"], code = "") => new ExchangeFailed({ what, code })

const badAddress = Effect.fail(failed("badAddress"))
const tooLong = failed("tooLong")
const late = failed("timedOut")

const failureOf = (cause: unknown): ExchangeFailed => {
  const code = Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""
  return code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" ? late : failed("unreachable", code)
}
