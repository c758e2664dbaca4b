import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Socket from "@effect/platform/Socket"
import * as RpcClient from "@effect/rpc/RpcClient"
import type { RpcClientError } from "@effect/rpc/RpcClientError"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { Problem, ProblemError } from "@troupe/api/Problem"
import { rpcPath, TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Context, Effect, Layer, Redacted, Schedule, Schema, Stream } from "effect"
import { type BearerToken, readToken, signedIn } from "./BearerToken.ts"
import { maxAttempts } from "./HttpCalls.ts"
import { inCallersTrace } from "./TraceContext.ts"

export interface TroupeRpcOptions {
  readonly baseUrl: string | URL
  /** For a service in hosted mode: an ID token, or what reads a fresh one for each request or connection. */
  readonly token?: BearerToken
}

/** Typed remote procedures of a service: one method per procedure of `TroupeRpcs`. */
export class TroupeRpc extends Context.Tag("@troupe/client/TroupeRpc")<
  TroupeRpc,
  RpcClient.RpcClient<RpcGroup.Rpcs<typeof TroupeRpcs>, RpcClientError>
>() {
  /** Each call is a separate request. A refused one fails with its `ProblemError`. */
  static layer({ baseUrl, token }: TroupeRpcOptions): Layer.Layer<TroupeRpc, never, HttpClient.HttpClient> {
    return layerClient.pipe(
      Layer.provide(RpcClient.layerProtocolHttp({ url: new URL(rpcPath, baseUrl).href, transformClient: completed })),
      Layer.provide(RpcSerialization.layerNdjson),
      Layer.provide(
        Layer.effect(
          HttpClient.HttpClient,
          Effect.map(HttpClient.HttpClient, (client) => inCallersTrace(signedIn(client, token)))
        )
      )
    )
  }

  /** All calls share one WebSocket. While it is opened again, calls fail with an `RpcClientError`. */
  static layerWebSocket({ baseUrl, token }: TroupeRpcOptions): Layer.Layer<
    TroupeRpc,
    never,
    Socket.WebSocketConstructor
  > {
    return layerClient.pipe(
      Layer.provide(RpcClient.layerProtocolSocket()),
      Layer.provide(layerSocket(baseUrl, token)),
      Layer.provide(RpcSerialization.layerNdjson)
    )
  }
}

const layerClient = Layer.scoped(TroupeRpc, RpcClient.make(TroupeRpcs))

const protocolsOf = (token: BearerToken | undefined): Effect.Effect<Array<string>, Error> =>
  token === undefined
    ? Effect.succeed([])
    : Effect.map(readToken(token), (value) => ["troupe.rpc", `bearer.${Redacted.value(value)}`])

/** Only Node reports the status of a refused connection. */
const reasonOf = (cause: unknown): string => {
  const message: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, "message") : undefined
  return typeof message === "string" && message !== "" ? ` (${message})` : ""
}

const notOpened = (url: URL, cause: unknown) =>
  new Socket.SocketGenericError({
    reason: "Open",
    cause: new Error(
      `${url.origin} did not open the WebSocket${reasonOf(cause)}. Check that the service runs, that the token is `
        + "valid, and that fewer connections are open than it allows.",
      { cause }
    )
  })

/** The WebSocket of the service's procedures. The token is read for each connection. */
const layerSocket = (
  baseUrl: string | URL,
  token: BearerToken | undefined
): Layer.Layer<Socket.Socket, never, Socket.WebSocketConstructor> => {
  const url = new URL(rpcPath, baseUrl)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  const opened = Effect.gen(function*() {
    const construct = yield* Socket.WebSocketConstructor
    const protocols = yield* protocolsOf(token)
    return yield* Effect.acquireRelease(
      Effect.try(() => construct(url.href, protocols)),
      (socket) => Effect.sync(() => socket.close(1000))
    )
  }).pipe(Effect.mapError((cause) => notOpened(url, cause)))
  return Layer.effect(
    Socket.Socket,
    Effect.map(Socket.fromWebSocket(opened), (socket) =>
      Socket.Socket.of({
        ...socket,
        runRaw: (handler, options) =>
          Effect.mapError(socket.runRaw(handler, options), (error) =>
            Socket.isSocketError(error) && error.reason === "Open" && !(error.cause instanceof Error)
              ? notOpened(url, error.cause)
              : error)
      }))
  )
}

const decodeProblem = Schema.decode(Schema.parseJson(Problem))

const encodeFailure = Schema.encode(Schema.parseJson(Schema.Struct({
  _tag: Schema.Literal("Exit"),
  requestId: Schema.String,
  exit: Schema.Struct({
    _tag: Schema.Literal("Failure"),
    cause: Schema.Struct({ _tag: Schema.Literal("Fail"), error: ProblemError })
  })
})))

const Call = Schema.parseJson(Schema.Struct({ id: Schema.String }))

const callOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  Schema.decodeUnknown(Call)(body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : null)

const refusal = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.all([callOf(response.request), Effect.flatMap(response.text, decodeProblem)]).pipe(
    Effect.flatMap(([{ id }, problem]) =>
      encodeFailure({
        _tag: "Exit",
        requestId: id,
        exit: { _tag: "Failure", cause: { _tag: "Fail", error: new ProblemError(problem) } }
      })
    ),
    Effect.map((line) => new TextEncoder().encode(`${line}\n`)),
    Effect.mapError((cause) => ended(response, cause))
  )

const ended = (response: HttpClientResponse.HttpClientResponse, cause?: unknown) =>
  new HttpClientError.ResponseError({
    request: response.request,
    response,
    reason: "Decode",
    cause,
    description: "The answer ended before the call did"
  })

/** Without an error at its end, a call whose response was cut short would wait for ever. */
const messages = (response: HttpClientResponse.HttpClientResponse) =>
  response.status >= 400
    ? Stream.fromEffect(refusal(response))
    : Stream.concat(response.stream, Stream.fail(ended(response)))

const completed = <E, R>(client: HttpClient.HttpClient.With<E, R>): HttpClient.HttpClient.With<E, R> =>
  HttpClient.transformResponse(
    client,
    Effect.map((response): HttpClientResponse.HttpClientResponse =>
      Object.create(response, { stream: { get: () => messages(response) } })
    )
  )

const isTransient = (error: { readonly _tag: string }): boolean =>
  error._tag === "RpcClientError" || (error instanceof ProblemError && (error.status === 429 || error.status >= 502))

const backOff = Schedule.exponential("250 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")), Schedule.jittered)

/** As `watch` of the promise client; fails after 5 attempts without an event. */
export const watch = (
  rpc: TroupeRpc["Type"],
  { after, task_id }: { readonly task_id: string; readonly after?: string }
) =>
  Stream.suspend(() => {
    let last = after
    let attempts = 0
    let hasBegun = false
    return Stream.suspend(() => {
      attempts += 1
      return rpc.watch({ task_id, ...(last === undefined ? {} : { after: last }) })
    }).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          hasBegun = true
          if ("id" in event) last = event.id
        })
      ),
      // A refused WebSocket does not say why, so the attempts are limited.
      Stream.retry(
        Schedule.whileInput(backOff, (error: { readonly _tag: string }) =>
          isTransient(error) && (hasBegun || attempts < maxAttempts))
      )
    )
  })
