import * as Sse from "@effect/experimental/Sse"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { type Chunk, Duration, Effect, Mailbox, Stream } from "effect"
import { missingIn, namesOneModel, pathOfModel } from "./ListedModels.ts"
import type { ModelError } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { type CallFailure, callTimedOut, providerFailure } from "./ProviderFailure.ts"

export const postJson = (path: string, json: string): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(path, { body: HttpBody.text(json, "application/json") })

/** The text of a good response. The bare client takes a quarter of the operations of a provider's client. */
export const responseText = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<string, CallFailure> =>
  Effect.catchAll(
    Effect.flatMap(client.execute(request), (response) => isGood(response) ? response.text : failedWith(response)),
    (error) => providerFailure(provider, error)
  )

/** The data of the events of an answer. A client's own streams skip unreadable events. */
export const eventsOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Stream.Stream<string, CallFailure> =>
  Stream.unwrap(Effect.map(client.execute(request), ({ stream }) => stream)).pipe(
    Stream.decodeText(),
    Stream.pipeThroughChannel(Sse.makeChannel()),
    Stream.map(({ data }) => data),
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

const probeTimeout = Duration.seconds(5)

/** Asks for the models, `path`, or at a provider's own host for this one. Fails also where the model is missing. */
export const probeOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  path: string
): Effect.Effect<void, ModelError> =>
  Effect.suspend(() => {
    const request = HttpClientRequest.get(namesOneModel(provider) ? `${path}/${pathOfModel(provider)}` : path)
    return Effect.timeoutFail(responseText(provider, client, request), {
      duration: probeTimeout,
      onTimeout: () => callTimedOut(provider, Duration.format(probeTimeout))
    })
  }).pipe(
    Effect.flatMap((text) => missingIn(provider, text) ?? Effect.void),
    orRejected,
    Effect.asVoid,
    Effect.withSpan("Model.probe")
  )
