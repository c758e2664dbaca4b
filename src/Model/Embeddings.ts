import { Context, Effect, Either, Schema } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { jsonOf } from "./Answer.ts"
import type { ModelError } from "./Model.ts"
import { makeProviderClient } from "./ProviderClient.ts"
import { malformed } from "./ProviderFailure.ts"
import type { RemoteProvider } from "./RemoteProvider.ts"
import type { Transport } from "./Transport.ts"

/** Vectors of texts, by the provider that answers as the language model too. */
export class Embeddings extends Context.Tag("troupe/Model/Embeddings")<Embeddings, {
  /** Names provider and model: only vectors of one `model` can be compared. */
  readonly model: string
  /** One vector a text, in their order. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}>() {}

/** Texts a call may hold: Google takes 100. */
const batchSize = { gemini: 100, local: 256, openai: 256 } as const

/** About 8,000 tokens, the most that the usual models read of one text. */
const longestText = 24_000

const Reply = Schema.Struct({
  data: Schema.Array(Schema.Struct({
    index: Schema.optional(Schema.NullOr(Schema.Number)),
    embedding: Schema.Array(Schema.Number)
  }))
})

const decode = Schema.decodeUnknownEither(Schema.parseJson(Reply))

export const makeRemoteEmbeddings = (
  transport: Transport["Type"],
  settings: ModelSettings,
  provider: RemoteProvider
): Embeddings["Type"] => {
  const client = makeProviderClient(transport, settings, provider)
  const { embeddingModel } = provider

  const vectorsOf = (body: string, count: number) =>
    Either.flatMap(Either.mapLeft(decode(body), () => malformed(provider)), ({ data }) => {
      const isComplete = data.length === count && data.every((one) => one.embedding.length > 0)
      const sorted = data.map((one, position) => ({ ...one, index: one.index ?? position }))
        .sort((one, other) => one.index - other.index)
      return isComplete
        ? Either.right(sorted.map(({ embedding }) => Float32Array.from(embedding)))
        : Either.left(malformed(provider))
    })

  const batch = (texts: ReadonlyArray<string>) => {
    // An empty text is refused by some providers.
    const input = texts.map((text) => jsonOf(text.trim() === "" ? "-" : text.slice(0, longestText)))
    return client.post(
      "/embeddings",
      `{"model":${jsonOf(embeddingModel)},"input":[${input.join(",")}]}`,
      (body) => vectorsOf(body, texts.length)
    ).pipe(Effect.catchTag("OptionRefused", ({ rejected }) => Effect.fail(rejected)))
  }

  const size = batchSize[provider._tag]
  return {
    model: `${provider._tag}/${embeddingModel}`,
    embed: Effect.fn("Embeddings.embed")(function*(texts: ReadonlyArray<string>) {
      const starts = Array.from({ length: Math.ceil(texts.length / size) }, (_, index) => index * size)
      const vectors = yield* Effect.forEach(starts, (start) => batch(texts.slice(start, start + size)))
      return vectors.flat()
    })
  }
}
