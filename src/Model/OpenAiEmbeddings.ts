import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Array, Effect, Schema } from "effect"
import { encodeBody, wellFormed } from "./Dialect.ts"
import type { Embeddings } from "./Embeddings.ts"
import type { EmbeddingProvider } from "./ModelSettings.ts"
import { orRejected, requestTo, responseText } from "./ProviderCalls.ts"
import { type CallFailure, malformed } from "./ProviderFailure.ts"

/** About 8,000 tokens, the limit of most embedding models. */
const maxTextLength = 24_000

const Vectors = Schema.Array(Schema.Struct({
  index: Schema.optional(Schema.NullOr(Schema.Number)),
  embedding: Schema.Array(Schema.Number)
}))
type Vectors = typeof Vectors.Type

/** No more is read than what is needed: compatible servers leave out the rest, also behind `OPENAI_BASE_URL`. */
const decode = Schema.decode(Schema.parseJson(Schema.Struct({ data: Vectors })))

export const openAiEmbeddings = (
  client: HttpClient.HttpClient,
  provider: EmbeddingProvider
): Embeddings["Type"] => {
  const { embeddingModel } = provider
  const post = requestTo(provider, "POST", "/embeddings")

  const vectorsOf = (input: Array.NonEmptyReadonlyArray<string>): Effect.Effect<Vectors, CallFailure> =>
    Effect.flatMap(
      responseText(
        provider,
        client,
        HttpClientRequest.bodyText(post, encodeBody({ model: embeddingModel, input }), "application/json")
      ),
      (text) => Effect.mapBoth(decode(text), { onSuccess: ({ data }) => data, onFailure: () => malformed(provider) })
    )

  const batch = (texts: Array.NonEmptyReadonlyArray<string>) =>
    // An empty text is refused by some providers.
    Effect.flatMap(
      vectorsOf(Array.map(texts, (text) => text.trim() === "" ? "-" : wellFormed(text.slice(0, maxTextLength)))),
      (vectors) => {
        const isComplete = vectors.length === texts.length && vectors.every((one) => one.embedding.length > 0)
        const sorted = vectors.map((one, position) => ({ ...one, index: one.index ?? position }))
          .sort((one, other) => one.index - other.index)
        return isComplete
          ? Effect.succeed(sorted.map(({ embedding }) => Float32Array.from(embedding)))
          : Effect.fail(malformed(provider))
      }
    ).pipe(orRejected)

  const { embeddingBatch: size = 256 } = modelProviders[provider._tag]
  return {
    model: `${provider._tag}/${embeddingModel}`,
    embed: Effect.fn("Embeddings.embed")(function*(texts: ReadonlyArray<string>) {
      const vectors = yield* Effect.forEach(Array.chunksOf(texts, size), batch)
      return vectors.flat()
    })
  }
}
