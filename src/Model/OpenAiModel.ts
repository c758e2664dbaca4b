import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Chunk, Effect, Either, Layer, Schema } from "effect"
import { makeChatCompletions } from "./ChatCompletions.ts"
import { charactersSent, type Completion, responseOf } from "./Completion.ts"
import type { Assembly, CompletionEnd, Dialect } from "./Dialect.ts"
import { Embeddings } from "./Embeddings.ts"
import { Model, type ModelError, type ModelRequest } from "./Model.ts"
import {
  type EmbeddingProvider,
  type ModelSettings,
  namesOf,
  type RemoteProvider,
  seesImages
} from "./ModelSettings.ts"
import { negotiated } from "./Negotiation.ts"
import { openAiEmbeddings } from "./OpenAiEmbeddings.ts"
import { eventsOf, probeOf, requestTo, responseText, takeTogether } from "./ProviderCalls.ts"
import { brokenOff, type CallFailure, malformed } from "./ProviderFailure.ts"
import { type MaySend, OptionRefused } from "./RequestOption.ts"
import { makeResponses } from "./Responses.ts"
import { makeLiveAnswer } from "./Thinking.ts"

export const modelLayer = (
  settings: ModelSettings,
  provider: RemoteProvider
): Layer.Layer<Model, never, HttpClient.HttpClient> =>
  Layer.effect(
    Model,
    Effect.map(HttpClient.HttpClient, (client) => {
      const chat = makeGenerate(client, provider, makeChatCompletions(settings, provider))
      const responses = makeGenerate(client, provider, makeResponses(settings, provider))
      const { api = "responses" } = provider
      const generate = !modelProviders[provider._tag].hasResponses || api === "chat"
        ? chat
        : api === "auto"
        ? foundOut(provider, responses, chat)
        : responses
      return {
        provider: provider._tag,
        model: provider.model,
        sees: (mediaType) => seesImages(settings.vision, provider, mediaType),
        generate: (request) => generate(request),
        probe: probeOf(provider, client)
      }
    })
  )

type Generate = Model["Type"]["generate"]

/**
 * Calls `/responses`, and `/chat/completions` where the server lacks that. What the first answer shows is remembered. A
 * server that can't be reached shows nothing.
 */
const foundOut = (provider: RemoteProvider, responses: Generate, chat: Generate): Generate => {
  let known: Generate | null = null
  const remember = (found: Generate) => Effect.sync(() => known = found)
  const rememberChat = Effect.zipRight(
    Effect.logInfo(`${namesOf(provider).title} has no Responses API: /chat/completions is used from now on`),
    remember(chat)
  )
  const orChat = (request: ModelRequest, missing: ModelError) =>
    Effect.tapBoth(chat(request), {
      onSuccess: () => rememberChat,
      onFailure: (error) => error._tag === "ModelUnavailable" || lacksAddress(error) ? Effect.void : rememberChat
    }).pipe(Effect.catchIf(lacksAddress, () => Effect.fail(missing)))
  return (request) =>
    known !== null
      ? known(request)
      : Effect.tap(responses(request), () => remember(responses)).pipe(
        Effect.catchIf(lacksAddress, (missing) => orChat(request, missing))
      )
}

const lacksAddress = (error: ModelError): boolean => error._tag === "ModelRejected" && error.isAddressMissing === true

export const embeddingsLayer = (
  provider: EmbeddingProvider
): Layer.Layer<Embeddings, never, HttpClient.HttpClient> =>
  Layer.effect(
    Embeddings,
    Effect.map(HttpClient.HttpClient, (client) => openAiEmbeddings(client, provider))
  )

const makeGenerate = <Event>(
  client: HttpClient.HttpClient,
  provider: RemoteProvider,
  dialect: Dialect<Event>
): Generate => {
  // Whether the model thinks in its texts without an opening mark; null until an answer has shown it.
  let isUnopened: boolean | null = null
  const decode = Schema.decodeUnknownEither(Schema.parseJson(dialect.event))

  const post = requestTo(provider, "POST", dialect.path)
  const posted = (body: string) => HttpClientRequest.bodyText(post, body, "application/json")

  const taken = ({ take }: Assembly<Event>, data: string) =>
    Either.flatMap(Either.mapLeft(decode(data), () => malformed(provider)), take)

  const whole = (request: ModelRequest, text: string) => {
    const assembly = dialect.assembly(request)
    return Either.flatMap(taken(assembly, text), () => assembly.completion("whole") ?? Either.left(malformed(provider)))
  }

  const streamed = (request: ModelRequest, body: string, onText: NonNullable<ModelRequest["onText"]>) =>
    Effect.suspend(() => {
      const assembly = dialect.assembly(request)
      let live: ReturnType<typeof makeLiveAnswer> | null = null
      const show = (text: string, isEnd = false) => {
        if (live === null && text === "") return Effect.void
        live ??= makeLiveAnswer(
          isUnopened === null ? assembly.heldBack() : isUnopened ? Number.POSITIVE_INFINITY : 0
        )
        const shown = live(text, isEnd)
        return shown === "" ? Effect.void : onText(shown)
      }
      let end: CompletionEnd = "unmarked"
      const takeOne = (data: string) => {
        if (data.trim() === "") return Either.right("")
        if (data.trim() !== "[DONE]") return taken(assembly, data)
        end = "marked"
        return Either.right("")
      }
      const take = (events: Chunk.Chunk<string>) =>
        Effect.flatMap(
          Either.map(Either.all(Chunk.toReadonlyArray(events).map(takeOne)), (texts) => texts.join("")),
          show
        )
      const events = eventsOf(provider, client, posted(body))
      return Effect.map(
        Effect.zipRight(takeTogether(events, take), Effect.suspend(() => show("", true))),
        () => assembly.completion(end) ?? Either.left(brokenOff(provider))
      )
    })

  const call = (request: ModelRequest, may: MaySend) => {
    const { messages, onText } = request
    const body = dialect.body(request, may)
    const respond = Either.match({
      onLeft: (failure: CallFailure) => Effect.fail(failure),
      onRight: (completion: Completion) => {
        const { ending, marks, text } = completion
        if (marks === "unopened") isUnopened = true
        // A text that was cut off may be thinking that has not ended.
        else if (marks === "none" && ending !== "cut" && text.trim() !== "") isUnopened ??= false
        return responseOf(provider, request, charactersSent(messages, body), completion)
      }
    })
    const onFailure = (error: CallFailure): Effect.Effect<never, CallFailure> => {
      if (error._tag !== "OptionRefused") return Effect.fail(error)
      const { complaint, failure, options, tool } = error
      const option = dialect.refused(request, complaint)
      return Effect.fail(
        option === undefined ? error : new OptionRefused({ complaint, failure, options: [...options, option], tool })
      )
    }
    return onText === undefined || !may("stream")
      ? Effect.matchEffect(
        responseText(provider, client, posted(body)),
        { onFailure, onSuccess: (text) => respond(whole(request, text)) }
      )
      : Effect.matchEffect(streamed(request, body, onText), { onFailure, onSuccess: respond })
  }

  const generate = negotiated(provider, call)
  return (request) => generate(request)
}
