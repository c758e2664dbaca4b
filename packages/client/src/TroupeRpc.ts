import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as RpcClient from "@effect/rpc/RpcClient"
import type { RpcClientError } from "@effect/rpc/RpcClientError"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { Problem, ProblemError } from "@troupe/api/Problem"
import { rpcPath, TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Context, Effect, Layer, Schedule, Schema, Stream } from "effect"
import { type BearerToken, signedIn } from "./BearerToken.ts"
import { maxAttempts } from "./HttpCalls.ts"
import { inCallersTrace } from "./TraceContext.ts"

export interface TroupeRpcOptions {
  readonly baseUrl: string | URL
  /** For a service in hosted mode: an ID token, or what reads a fresh one for each request. */
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
}

const layerClient = Layer.scoped(TroupeRpc, RpcClient.make(TroupeRpcs))

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
      Stream.retry(
        Schedule.whileInput(backOff, (error: { readonly _tag: string }) =>
          isTransient(error) && (hasBegun || attempts < maxAttempts))
      )
    )
  })
