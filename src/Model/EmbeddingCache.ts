import { Effect, Layer } from "effect"
import { withoutCallLimit } from "../Runtime/CallTimeLeft.ts"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"
import { Embeddings } from "./Embeddings.ts"
import { ModelUnavailable } from "./Model.ts"

const capacity = 512

const timeToLive = "10 minutes"

/**
 * Caches vectors of single texts. Callers of one text share a call, which an interrupted one does not end. Failures are
 * not cached.
 */
export const layer: Layer.Layer<Embeddings, never, Embeddings> = Layer.effect(
  Embeddings,
  Effect.gen(function*() {
    const { embed, model } = yield* Embeddings
    const cache = makeExpiringCache({
      capacity,
      timeToLive,
      lookup: (text: string) =>
        Effect.flatMap(withoutCallLimit(embed([text])), ([vector]) =>
          vector === undefined
            ? new ModelUnavailable({ provider: model, reason: "The provider sent no vector." })
            : Effect.succeed(vector))
    })
    return {
      model,
      embed: (texts) => {
        const [text] = texts
        return text === undefined || texts.length > 1 ? embed(texts) : Effect.map(cache.get(text), (vector) => [vector])
      }
    }
  })
)
