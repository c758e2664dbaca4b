import * as Sse from "@effect/experimental/Sse"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Duration, Effect, Stream } from "effect"
import type { ModelError } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { aiErrorOf, type CallFailure, failureOf, timedOut } from "./ProviderFailure.ts"

/** Fails on any status but 2xx, with what the provider says about it as the description. */
export const failOnStatus: (client: HttpClient.HttpClient) => HttpClient.HttpClient = HttpClient.transformResponse(
  Effect.flatMap((response) =>
    response.status >= 200 && response.status < 300
      ? Effect.succeed(response)
      : Effect.flatMap(response.text, (description) =>
        new HttpClientError.ResponseError({ request: response.request, response, reason: "StatusCode", description }))
  )
)

export const postJson = (path: string, json: string): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(path, { body: HttpBody.text(json, "application/json") })

const httpFailureOf = (
  provider: RemoteProvider,
  error: HttpClientError.HttpClientError
): Effect.Effect<never, CallFailure> => Effect.catchAll(aiErrorOf(error), (error) => failureOf(provider, error))

export const textOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<string, CallFailure> =>
  Effect.flatMap(client.execute(request), (response) => response.text).pipe(
    Effect.catchAll((error) => httpFailureOf(provider, error))
  )

/** Sends a request and gives the data of the events of its answer. A client's own streams skip what they can't read. */
export const eventsOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Stream.Stream<string, CallFailure> =>
  Stream.unwrap(Effect.map(client.execute(request), (response) => response.stream)).pipe(
    Stream.decodeText(),
    Stream.pipeThroughChannel(Sse.makeChannel()),
    Stream.map(({ data }) => data),
    Stream.catchAll((error) => httpFailureOf(provider, error))
  )

export const orRejected = <A>(call: Effect.Effect<A, CallFailure>): Effect.Effect<A, ModelError> =>
  Effect.catchTag(call, "OptionRefused", ({ rejected }) => Effect.fail(rejected))

const probeTimeout = Duration.seconds(5)

/** Lists the provider's models, quickly: it answers and knows the key. */
export const probeOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  path: string
): Effect.Effect<void, ModelError> =>
  Effect.suspend(() => {
    const request = HttpClientRequest.get(path)
    return Effect.timeoutFail(textOf(provider, client, request), {
      duration: probeTimeout,
      onTimeout: () => timedOut(provider, Duration.format(probeTimeout))
    })
  }).pipe(orRejected, Effect.asVoid, Effect.withSpan("Model.probe"))
