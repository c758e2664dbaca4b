import { Cache, Effect, Fiber } from "effect"
import type { Embeddings } from "./Embeddings.ts"
import { ModelUnavailable } from "./Model.ts"

/** Texts of requests whose vectors are kept: each takes some kilobytes. */
const capacity = 512

const timeToLive = "10 minutes"

/**
 * Embeddings that remember the vectors of texts that were asked for one at a time, and ask for one text once where
 * several ask at the same moment: skills and memories are both looked up by the text of a request. Whoever stops waiting
 * takes it from nobody else. A failure is not remembered.
 */
export const rememberedEmbeddings = (embeddings: Embeddings["Type"]): Effect.Effect<Embeddings["Type"]> =>
  Cache.make({
    capacity,
    timeToLive,
    lookup: (text: string) =>
      Effect.flatMap(embeddings.embed([text]), ([vector]) =>
        vector === undefined
          ? new ModelUnavailable({ provider: embeddings.model, reason: "The provider sent no vector." })
          : Effect.succeed(vector))
  }).pipe(
    Effect.map((known) => ({
      model: embeddings.model,
      embed: (texts) => {
        const [text] = texts
        return text === undefined || texts.length > 1
          ? embeddings.embed(texts)
          : known.get(text).pipe(
            Effect.tapErrorCause(() => known.invalidate(text)),
            Effect.forkDaemon,
            Effect.flatMap(Fiber.join),
            Effect.map((vector) => [vector])
          )
      }
    }))
  )
