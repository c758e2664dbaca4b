import { Effect } from "effect"
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

const mostQueries = 256

export const make = (embeddings: Embeddings["Type"]): Effect.Effect<SkillVectors> =>
  Effect.gen(function*() {
    let known: ReadonlyMap<string, Float32Array> = new Map()
    const alone = (yield* Effect.makeSemaphore(1)).withPermits(1)

    /** The latest queries, the latest last. */
    const queries = new Map<string, Float32Array>()
    const remember = (hash: string, vector: Float32Array) => {
      queries.delete(hash)
      queries.set(hash, vector)
      for (const oldest of queries.keys()) {
        if (queries.size <= mostQueries) break
        queries.delete(oldest)
      }
    }

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
      // Not one at a time: a request that is called off must not hold up others, nor take them with it.
      ofQuery: (query) =>
        Effect.gen(function*() {
          const text = query.slice(0, longestQuery)
          const hash = hashOf(text)
          const vector = queries.get(hash) ?? (yield* embeddings.embed([text]))[0] ?? new Float32Array()
          remember(hash, vector)
          return vector
        })
    }
  })
