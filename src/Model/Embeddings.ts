import { Context, DateTime, Effect, Layer, Option, Ref } from "effect"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import { withoutCallLimit } from "../Runtime/CallTimeLeft.ts"
import { type ModelError, ModelUnavailable } from "./Model.ts"

/** Vectors of texts. An adapter tries a call once. */
export class Embeddings extends Context.Tag("troupe/Model/Embeddings")<Embeddings, {
  /** Names provider and model: only vectors of one `model` can be compared. */
  readonly model: string
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}>() {
  /** Caches vectors of single texts. Callers of one text share a call, which an interrupted one does not end. */
  static readonly layerCached: Layer.Layer<Embeddings, never, Embeddings> = Layer.effect(
    this,
    Effect.map(this, ({ embed, model }) => {
      const vectorOf = (text: string) =>
        Effect.flatMap(withoutCallLimit(embed([text])), ([vector]) =>
          vector === undefined
            ? new ModelUnavailable({ provider: model, reason: "The provider sent no vector." })
            : Effect.succeed(vector))
      const cache = makeExpiringCache({ capacity: 512, timeToLive: "10 minutes", lookup: vectorOf })
      return Embeddings.of({
        model,
        embed: (texts) => {
          const [text] = texts
          return text === undefined || texts.length > 1
            ? embed(texts)
            : Effect.map(cache.get(text), (vector) => [vector])
        }
      })
    })
  )
}

export interface EmbeddingCall {
  readonly at: DateTime.Utc
  readonly failure: ModelError | null
}

/** What this process knows of the embeddings without asking: how its last call ended, none before the first. */
export class EmbeddingCalls extends Context.Tag("troupe/Model/Embeddings/EmbeddingCalls")<EmbeddingCalls, {
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
