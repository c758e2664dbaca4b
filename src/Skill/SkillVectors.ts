import { Cache, Duration, Effect, Exit } from "effect"
import { createHash } from "node:crypto"
import type { Embeddings } from "../Model/Embeddings.ts"
import type { ModelError } from "../Model/Model.ts"

/** Vectors of what skills say about themselves, asked for once a text. */
export interface SkillVectors {
  /** One vector a text, in their order; those of texts that are no longer asked for are forgotten. */
  readonly ofAll: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
  readonly ofQuery: (query: string) => Effect.Effect<Float32Array, ModelError>
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64")

/** Long enough to tell what is asked; a model reads no more of it either. */
const longestQuery = 8_000

export const make = (embeddings: Embeddings["Type"]): Effect.Effect<SkillVectors> =>
  Effect.gen(function*() {
    let known: ReadonlyMap<string, Float32Array> = new Map()
    const alone = (yield* Effect.makeSemaphore(1)).withPermits(1)

    const embedOne = (text: string) => Effect.map(embeddings.embed([text]), ([vector]) => vector ?? new Float32Array())

    const queries = yield* Cache.makeWith({
      capacity: 256,
      // A failure is not kept: the next request may find the provider well again.
      timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.hours(1) : Duration.zero,
      lookup: embedOne
    })

    const fill = (texts: ReadonlyMap<string, string>) =>
      Effect.gen(function*() {
        const fresh = [...texts].filter(([hash]) => !known.has(hash))
        const vectors = fresh.length === 0 ? [] : yield* embeddings.embed(fresh.map(([, text]) => text))
        const added = new Map(fresh.map(([hash], index) => [hash, vectors[index] ?? new Float32Array()]))
        known = new Map([...texts.keys()].map((hash) => [
          hash,
          known.get(hash) ?? added.get(hash) ?? new Float32Array()
        ]))
        return known
      })

    return {
      // One at a time, so that requests that come together ask for each text once.
      ofAll: (texts) => {
        const hashes = texts.map(hashOf)
        const byHash = new Map(hashes.map((hash, index) => [hash, texts[index] ?? ""]))
        return Effect.map(
          alone(fill(byHash)),
          (vectors) => hashes.map((hash) => vectors.get(hash) ?? new Float32Array())
        )
      },
      ofQuery: (query) => queries.get(query.slice(0, longestQuery))
    }
  })
