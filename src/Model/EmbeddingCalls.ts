import { Context, DateTime, Effect, Layer, Option, Ref } from "effect"
import { Embeddings } from "./Embeddings.ts"
import type { ModelError } from "./Model.ts"

export interface EmbeddingCall {
  readonly at: DateTime.Utc
  readonly failure: ModelError | null
}

/** What this process knows of the embeddings without asking: how its last call ended, none before the first. */
export class EmbeddingCalls extends Context.Tag("troupe/Model/EmbeddingCalls")<EmbeddingCalls, {
  readonly last: Effect.Effect<Option.Option<EmbeddingCall>>
}>() {
  static readonly layer: Layer.Layer<EmbeddingCalls | Embeddings, never, Embeddings> = Layer.effectContext(
    Effect.gen(function*() {
      const embeddings = yield* Embeddings
      const last = yield* Ref.make(Option.none<EmbeddingCall>())
      const note = (failure: ModelError | null) =>
        Effect.flatMap(DateTime.now, (at) => Ref.set(last, Option.some({ at, failure })))
      return Context.make(EmbeddingCalls, { last: Ref.get(last) }).pipe(Context.add(Embeddings, {
        model: embeddings.model,
        embed: (texts) =>
          texts.length === 0
            ? embeddings.embed(texts)
            : Effect.tapBoth(embeddings.embed(texts), { onFailure: note, onSuccess: () => note(null) })
      }))
    })
  )
}
