import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Socket from "@effect/platform/Socket"
import * as RpcClient from "@effect/rpc/RpcClient"
import type { RpcClientError } from "@effect/rpc/RpcClientError"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { Problem, ProblemError } from "@troupe/api/Problem"
import { rpcPath, TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Context, Effect, Layer, Redacted, Schedule, Schema, Stream } from "effect"

export interface TroupeRpcOptions {
  readonly baseUrl: string | URL
  /** An ID token, for a service in hosted mode. */
  readonly token?: Redacted.Redacted
}

/** Typed remote procedures of a service: one method per procedure of `TroupeRpcs`. */
export class TroupeRpc extends Context.Tag("@troupe/client/TroupeRpc")<
  TroupeRpc,
  RpcClient.RpcClient<RpcGroup.Rpcs<typeof TroupeRpcs>, RpcClientError>
>() {
  /** Each call is a request of its own. A problem of the request itself is the cause of an `RpcClientError`. */
  static layer(options: TroupeRpcOptions): Layer.Layer<TroupeRpc, never, HttpClient.HttpClient> {
    return layerClient.pipe(
      Layer.provide(RpcClient.layerProtocolHttp({
        url: new URL(rpcPath, options.baseUrl).href,
        transformClient: (client) => completed(signedIn(client, options.token))
      })),
      Layer.provide(RpcSerialization.layerNdjson)
    )
  }

  /** All calls share one WebSocket, which is opened again when it breaks; calls under way then fail. */
  static layerWebSocket(options: TroupeRpcOptions): Layer.Layer<TroupeRpc, never, Socket.WebSocketConstructor> {
    const url = new URL(rpcPath, options.baseUrl)
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
    // Browsers can't set headers of a WebSocket.
    const protocols = options.token === undefined ? [] : ["troupe.rpc", `bearer.${Redacted.value(options.token)}`]
    return layerClient.pipe(
      Layer.provide(RpcClient.layerProtocolSocket({ retryTransientErrors: true })),
      Layer.provide(Layer.effect(Socket.Socket, Socket.makeWebSocket(url.href, { protocols }))),
      Layer.provide(RpcSerialization.layerNdjson)
    )
  }
}

const layerClient = Layer.scoped(TroupeRpc, RpcClient.make(TroupeRpcs))

const signedIn = <E, R>(client: HttpClient.HttpClient.With<E, R>, token: Redacted.Redacted | undefined) =>
  token === undefined ? client : HttpClient.mapRequest(client, HttpClientRequest.bearerToken(token))

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

/** A request that was refused is a call that failed with the problem. */
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

/** The messages of an answer. Without an error at its end, a call whose answer was cut short would wait for ever. */
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

/**
 * The events of a task until its end. When the connection breaks or the service restarts, it resumes after the last
 * event; only pieces of text may be lost.
 */
export const watch = (
  rpc: TroupeRpc["Type"],
  { after, task_id }: { readonly task_id: string; readonly after?: string }
) =>
  Stream.suspend(() => {
    let last = after
    return Stream.suspend(() => rpc.watch({ task_id, ...(last === undefined ? {} : { after: last }) })).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if ("id" in event) last = event.id
        })
      ),
      Stream.retry(Schedule.whileInput(backOff, isTransient))
    )
  })
