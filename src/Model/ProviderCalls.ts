import * as Sse from "@effect/experimental/Sse"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { type Chunk, Duration, Effect, Mailbox, Stream } from "effect"
import type { ModelError, ModelRequest, ModelResponse } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { type CallFailure, callTimedOut, type OptionalParameter, providerFailure } from "./ProviderFailure.ts"

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
  Effect.catchTag(call, "OptionRefused", ({ rejected }) => Effect.fail(rejected))

const probeTimeout = Duration.seconds(5)

export const probeOf = (
  provider: RemoteProvider,
  client: HttpClient.HttpClient,
  path: string
): Effect.Effect<void, ModelError> =>
  Effect.suspend(() => {
    const request = HttpClientRequest.get(path)
    return Effect.timeoutFail(responseText(provider, client, request), {
      duration: probeTimeout,
      onTimeout: () => callTimedOut(provider, Duration.format(probeTimeout))
    })
  }).pipe(orRejected, Effect.asVoid, Effect.withSpan("Model.probe"))

export type MaySend = (option: OptionalParameter) => boolean

/** `asked` is the request as the caller made it, with the caller's own output limit. */
type Generate = (request: ModelRequest, asked?: ModelRequest) => Effect.Effect<ModelResponse, ModelError>

/** Repeats a call without an optional parameter, or with a lower output limit, that the model refused; later calls begin there. */
export const negotiated = (
  call: (request: ModelRequest, may: MaySend, asked: ModelRequest) => Effect.Effect<ModelResponse, CallFailure>
): Generate => {
  const refused = new Set<OptionalParameter>()
  const may: MaySend = (option) => !refused.has(option)
  const withOptions = (
    request: ModelRequest,
    asked = request,
    maxRefusals = 3
  ): Effect.Effect<ModelResponse, ModelError> =>
    Effect.catchTag(call(request, may, asked), "OptionRefused", ({ option, rejected }) => {
      refused.add(option)
      return maxRefusals === 0 ? Effect.fail(rejected) : withOptions(request, asked, maxRefusals - 1)
    })
  return withinOutputLimit(withOptions)
}

/** Tried in turn where a model refuses a larger limit: few models allow less than the last. */
const commonOutputLimits = [32_768, 16_384, 8_192, 4_096]

/** A token budget may exceed the model's output limit: the call is then made again with a lower one, which is kept. */
const withinOutputLimit = (generate: Generate): Generate => {
  let ceiling = Number.POSITIVE_INFINITY
  const attempt: Generate = (request, asked = request) => {
    const { maxOutputTokens } = request
    if (maxOutputTokens === undefined) return generate(request, asked)
    const limit = Math.min(maxOutputTokens, ceiling)
    return Effect.catchIf(generate({ ...request, maxOutputTokens: limit }, asked), mayBeAboutLimit, (error) => {
      // Where input and output together are too long, only the lowest limit is worth a repeated long request.
      const lower = commonOutputLimits.find((common, index) =>
        common < limit && (error._tag === "ModelRejected" || index === commonOutputLimits.length - 1)
      )
      return lower === undefined ? Effect.fail(error) : Effect.tap(
        attempt({ ...request, maxOutputTokens: lower }, asked),
        () => Effect.sync(() => ceiling = error._tag === "ModelRejected" ? Math.min(ceiling, lower) : ceiling)
      )
    })
  }
  return attempt
}

/** Some providers report an overflow when conversation and output limit together exceed the context. */
const mayBeAboutLimit = (error: ModelError): boolean =>
  error._tag === "ContextOverflow"
  || error._tag === "ModelRejected" && (error.status === 400 || error.status === 422) && /token/i.test(error.reason)
