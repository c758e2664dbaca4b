import { Clock, Duration, Effect } from "effect"
import { createHash } from "node:crypto"
import type { Embeddings } from "../Model/Embeddings.ts"
import type { ModelError } from "../Model/Model.ts"
import { refusesTexts } from "../Model/Refusal.ts"
import { guarded } from "./GuardedEmbeddings.ts"

/** Vectors of length 1 of what skills and tools say about themselves, asked for once a text. */
export interface SkillVectors {
  /**
   * One vector a text, in their order; an empty one, which is near to nothing, for a text that the model refuses while
   * it takes others. Of texts that are no longer asked for, the oldest are forgotten.
   */
  readonly ofAll: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
  /** Vectors of requests, of which the latest are kept. */
  readonly ofQueries: (queries: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64")

/** Long enough to tell what is asked; a model reads no more of it either. */
const longestQuery = 8_000

const mostQueries = 256

/** Kept, though none of the latest. */
const mostTexts = 2_000

/** For this long a text that the model refused goes without a vector, and is not asked for again. */
const refusalRest = Duration.minutes(10)

/** If so many texts are refused one by one and none is taken, it is not about the texts. */
const mostRefused = 5

/** After so many refusals the other texts of a batch are not asked for one by one, and rest like those. */
const mostSingled = 20

export const make = (embeddings: Embeddings["Type"]): Effect.Effect<SkillVectors> =>
  Effect.gen(function*() {
    const embed = yield* guarded(embeddings)
    let known: ReadonlyMap<string, Float32Array> = new Map()
    /** Texts that the model refused, and until when they are left alone. */
    const refused = new Map<string, number>()
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

    /** The vectors of those texts that the model takes, found by halves where it refuses some of them. */
    const embedTaken = (texts: ReadonlyArray<Text>) => {
      const taken: Array<readonly [hash: string, vector: Float32Array]> = []
      const left: Array<Text> = []
      const halves = (some: ReadonlyArray<Text>): Effect.Effect<void, ModelError> =>
        Effect.suspend(() => left.length < mostSingled ? asked(some) : Effect.sync(() => void left.push(...some)))
      const asked = (some: ReadonlyArray<Text>): Effect.Effect<void, ModelError> =>
        embed(some.map(([, text]) => text)).pipe(
          Effect.map((vectors) => void taken.push(...some.map(([hash], at) => [hash, vectors[at] ?? empty] as const))),
          Effect.catchIf(refusesTexts, (error) => {
            if (some.length > 1) {
              const middle = some.length >> 1
              return Effect.zipRight(halves(some.slice(0, middle)), halves(some.slice(middle)))
            }
            left.push(...some)
            const isOfAll = taken.length === 0 && known.size === 0 && [mostRefused, texts.length].includes(left.length)
            return isOfAll ? Effect.fail(error) : Effect.void
          })
        )
      return Effect.as(halves(texts), { taken, left })
    }

    const fill = (texts: ReadonlyMap<string, string>) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        for (const [hash, until] of refused) if (until <= now) refused.delete(hash)
        const fresh = [...texts].filter(([hash]) => !known.has(hash) && !refused.has(hash))
        if (fresh.length === 0) return known
        const { left, taken } = yield* embedTaken(fresh)
        for (const [hash, text] of left) {
          refused.set(hash, now + Duration.toMillis(refusalRest))
          yield* Effect.logWarning(
            `The embedding model refuses a text, which goes without a vector: ${begin(text)}`
          )
        }
        const all = new Map([...known, ...taken])
        for (const hash of [...all.keys()].slice(0, Math.max(0, all.size - texts.size - mostTexts))) {
          if (!texts.has(hash)) all.delete(hash)
        }
        known = all
        return known
      })

    return {
      // One at a time, so that requests that come together ask for each text once.
      ofAll: (texts) => {
        const hashes = texts.map(hashOf)
        const byHash = new Map(hashes.map((hash, index) => [hash, texts[index] ?? ""]))
        return Effect.map(
          alone(fill(byHash)),
          (vectors) => hashes.map((hash) => vectors.get(hash) ?? empty)
        )
      },
      // Not one at a time: a request that is called off must not hold up others, nor take them with it.
      ofQueries: (wanted) =>
        Effect.gen(function*() {
          const texts = new Map(wanted.map((query) => query.slice(0, longestQuery)).map((text) => [hashOf(text), text]))
          const found = new Map([...texts.keys()].flatMap((hash) => {
            const vector = queries.get(hash)
            return vector === undefined ? [] : [[hash, vector] as const]
          }))
          const fresh = [...texts].filter(([hash]) => !found.has(hash))
          const vectors = fresh.length === 0 ? [] : yield* Effect.tapError(
            embed(fresh.map(([, text]) => text)),
            (error) =>
              refusesTexts(error) ? Effect.logWarning(`A request has no vector: ${error.message}`) : Effect.void
          )
          for (const [index, [hash]] of fresh.entries()) found.set(hash, vectors[index] ?? empty)
          for (const [hash, vector] of found) remember(hash, vector)
          return wanted.map((query) => found.get(hashOf(query.slice(0, longestQuery))) ?? empty)
        })
    }
  })

type Text = readonly [hash: string, text: string]

const begin = (text: string): string => JSON.stringify(text.slice(0, 80))

const empty = new Float32Array()
