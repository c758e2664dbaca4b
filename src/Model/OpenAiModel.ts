import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { Chunk, Effect, Either, Layer, Mailbox, Option, Schema, Stream } from "effect"
import { charactersSent, responseOf } from "./Answer.ts"
import { makeChatCompletions } from "./ChatCompletions.ts"
import type { Dialect } from "./Dialect.ts"
import { Embeddings } from "./Embeddings.ts"
import { Model, type ModelRequest } from "./Model.ts"
import type { ModelSettings, OpenAiCompatible } from "./ModelSettings.ts"
import { type MaySend, negotiated } from "./Negotiation.ts"
import { openAiEmbeddings } from "./OpenAiEmbeddings.ts"
import { eventsOf, failOnStatus, postJson, probeOf, textOf } from "./ProviderCalls.ts"
import { malformed } from "./ProviderFailure.ts"
import { makeResponses } from "./Responses.ts"
import { seesPictures } from "./Vision.ts"

const clientOf = ({ apiKey, baseUrl }: OpenAiCompatible) =>
  OpenAiClient.layer({
    apiUrl: baseUrl.replace(/(?<!\/)\/+$/, ""),
    apiKey: Option.getOrUndefined(apiKey),
    transformClient: failOnStatus
  })

export const modelLayer = (
  settings: ModelSettings,
  provider: OpenAiCompatible
): Layer.Layer<Model, never, HttpClient.HttpClient> =>
  Layer.effect(
    Model,
    Effect.map(OpenAiClient.OpenAiClient, (client) =>
      provider._tag === "openai"
        ? makeModel(client, settings, provider, makeResponses(settings, provider))
        : makeModel(client, settings, provider, makeChatCompletions(settings, provider)))
  ).pipe(Layer.provide(clientOf(provider)))

export const embeddingsLayer = (
  provider: OpenAiCompatible
): Layer.Layer<Embeddings, never, HttpClient.HttpClient> =>
  Layer.effect(
    Embeddings,
    Effect.map(OpenAiClient.OpenAiClient, (client) => openAiEmbeddings(client, provider))
  ).pipe(Layer.provide(clientOf(provider)))

const makeModel = <Event>(
  { client: { httpClient } }: OpenAiClient.Service,
  settings: ModelSettings,
  provider: OpenAiCompatible,
  dialect: Dialect<Event>
): Model["Type"] => {
  const decode = Schema.decodeUnknownEither(Schema.parseJson(dialect.event))

  const streamed = (body: string, onText: NonNullable<ModelRequest["onText"]>) =>
    Effect.suspend(() => {
      const assembly = dialect.assembly()
      const takeOne = (data: string) =>
        Either.flatMap(Either.mapLeft(decode(data), () => malformed(provider)), assembly.take)
      const take = (events: Chunk.Chunk<string>) =>
        Effect.flatMap(
          Either.map(Either.all(Chunk.toReadonlyArray(events).map(takeOne)), (texts) => texts.join("")),
          (text) => text === "" ? Effect.void : onText(text)
        )
      const events = eventsOf(provider, httpClient, postJson(dialect.path, body))
      // Events that come together become one piece of text: each piece costs its readers far more than an event.
      return Mailbox.fromStream(events, { capacity: 256 }).pipe(
        Effect.flatMap((arrived) => Stream.runForEachChunk(Mailbox.toStream(arrived), take)),
        Effect.scoped,
        Effect.zipRight(Effect.suspend(assembly.answer))
      )
    })

  const call = (request: ModelRequest, may: MaySend) =>
    Effect.suspend(() => {
      const { messages, onText } = request
      const body = dialect.body(request, may)
      const answer = onText === undefined
        ? Effect.flatMap(textOf(provider, httpClient, postJson(dialect.path, body)), dialect.read)
        : streamed(body, onText)
      return Effect.flatMap(answer, (answer) => responseOf(provider, request, charactersSent(messages, body), answer))
    })

  return {
    provider: provider._tag,
    model: provider.model,
    sees: (mediaType) => seesPictures(settings.vision ?? "auto", provider, mediaType),
    generate: negotiated(call),
    probe: probeOf(provider, httpClient, "/models")
  }
}
