import * as Sse from "@effect/experimental/Sse"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { type Chunk, Duration, Effect, Mailbox, Option, Redacted, Stream } from "effect"
import { missingIn, namesOneModel, pathOfModel } from "./ListedModels.ts"
import type { ModelError } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { type CallFailure, callTimedOut, providerFailure } from "./ProviderFailure.ts"

/** A request at the provider, with its key. */
export const requestTo = (
  provider: RemoteProvider,
  method: "GET" | "POST",
  path: string
): HttpClientRequest.HttpClientRequest => {
  const isAnthropic = modelProviders[provider._tag].protocol === "anthropic"
  const address = isAnthropic
    ? provider.baseUrl.replace(/(?:\/v1)?\/?$/, "/v1")
    : provider.baseUrl.replace(/(?<!\/)\/+$/, "")
  const request = HttpClientRequest.make(method)(`${address}${path}`, { acceptJson: true })
  return Option.match(provider.apiKey, {
    onNone: () => request,
    onSome: (key) =>
      isAnthropic
        ? HttpClientRequest.setHeaders(request, { "x-api-key": Redacted.value(key), "anthropic-version": "2023-06-01" })
        : HttpClientRequest.bearerToken(request, key)
  })
}

export const responseText = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<string, CallFailure> =>
  Effect.catchAll(
    Effect.flatMap(client.execute(request), (response) => isGood(response) ? response.text : failedWith(response)),
    (error) => providerFailure(provider, error)
  )

export const eventsOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Stream.Stream<string, CallFailure> =>
  Stream.unwrap(
    Effect.flatMap(client.execute(request), (response) =>
      isGood(response) ? Effect.succeed(response.stream) : failedWith(response))
  ).pipe(
    Stream.decodeText(),
    Stream.pipeThroughChannel(Sse.makeChannel()),
    Stream.map(({ data }) =>
      data
    ),
    Stream.catchAll((error) => providerFailure(provider, error))
  )

/** Items that arrive together are taken together: a piece of text costs its readers far more than an item. */
export const takeTogether = <A, E, E2>(
  items: Stream.Stream<A, E>,
  take: (items: Chunk.Chunk<A>) => Effect.Effect<void, E2>
): Effect.Effect<void, E | E2> =>
  Effect.scoped(Effect.flatMap(
    Mailbox.fromStream(items, { capacity: 256 }),
    (arrived) => Stream.runForEachChunk(Mailbox.toStream(arrived), take)
  ))

/** Fails on any status but 2xx, with what the provider says about it as the description. */
export const failOnStatus: (client: HttpClient.HttpClient) => HttpClient.HttpClient = HttpClient.transformResponse(
  Effect.flatMap((response) => isGood(response) ? Effect.succeed(response) : failedWith(response))
)

const isGood = ({ status }: HttpClientResponse.HttpClientResponse): boolean => status >= 200 && status < 300

const failedWith = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<never, HttpClientError.ResponseError> =>
  Effect.flatMap(
    response.text,
    (description) =>
      new HttpClientError.ResponseError({ request: response.request, response, reason: "StatusCode", description })
  )

export const orRejected = <A>(call: Effect.Effect<A, CallFailure>): Effect.Effect<A, ModelError> =>
  Effect.catchTag(call, "OptionRefused", ({ failure }) => Effect.fail(failure))

/** The text of a list of models, within this time. */
export const listText = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  path: string,
  limit: Duration.Duration
): Effect.Effect<string, CallFailure> =>
  Effect.timeoutFail(responseText(provider, client, requestTo(provider, "GET", path)), {
    duration: limit,
    onTimeout: () => callTimedOut(provider, Duration.format(limit))
  })

/** Asks for the models, or at a provider's own host for this one. Fails also where the model is missing. */
export const probeOf = (provider: RemoteProvider, client: HttpClient.HttpClient): Effect.Effect<void, ModelError> =>
  Effect.suspend(() => {
    const path = namesOneModel(provider) ? `/models/${pathOfModel(provider)}` : "/models"
    return listText(provider, client, path, Duration.seconds(5))
  }).pipe(
    Effect.flatMap((text) => missingIn(provider, text) ?? Effect.void),
    orRejected,
    Effect.asVoid,
    Effect.withSpan("Model.probe")
  )
