import { Context, DateTime, Effect, Option, Ref } from "effect"
import type { Embeddings } from "./Embeddings.ts"
import type { ModelError } from "./Model.ts"

/** How a call ended; `failure` is null where it gave vectors. */
export interface EmbeddingCall {
  readonly at: DateTime.Utc
  readonly failure: ModelError | null
}

/** What this process knows of the provider's embeddings without asking: how its last call ended, none before the first. */
export class EmbeddingCalls extends Context.Tag("troupe/Model/EmbeddingCalls")<EmbeddingCalls, {
  readonly last: Effect.Effect<Option.Option<EmbeddingCall>>
}>() {}

/** The same embeddings, and how their calls end. */
export const notedEmbeddings = (embeddings: Embeddings["Type"]): Effect.Effect<{
  readonly embeddings: Embeddings["Type"]
  readonly calls: EmbeddingCalls["Type"]
}> =>
  Effect.map(Ref.make(Option.none<EmbeddingCall>()), (last) => {
    const note = (failure: ModelError | null) =>
      Effect.flatMap(DateTime.now, (at) => Ref.set(last, Option.some({ at, failure })))
    return {
      calls: { last: Ref.get(last) },
      embeddings: {
        model: embeddings.model,
        embed: (texts) =>
          texts.length === 0
            ? embeddings.embed(texts)
            : Effect.tapBoth(embeddings.embed(texts), { onFailure: note, onSuccess: () => note(null) })
      }
    }
  })
