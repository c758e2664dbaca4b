import { unit } from "@troupe/domain/SkillMatch"
import { Clock, Duration, Effect } from "effect"
import { createHash } from "node:crypto"
import type { Embeddings } from "../Model/Embeddings.ts"
import { type ModelError, ModelUnavailable } from "../Model/Model.ts"

/** Vectors of length 1 of what skills and tools say about themselves, asked for once a text. */
export interface SkillVectors {
  /** One vector a text, in their order; of texts that are no longer asked for, the oldest are forgotten. */
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

const patience = Duration.seconds(20)

/** After a failure nothing is asked for this long: a provider that is away must not hold up every task. */
const rest = Duration.seconds(30)

export const make = (embeddings: Embeddings["Type"]): Effect.Effect<SkillVectors> =>
  Effect.gen(function*() {
    const embed = yield* guarded(embeddings)
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
        if (fresh.length === 0) return known
        const vectors = yield* embed(fresh.map(([, text]) => text))
        const all = new Map([...known, ...fresh.map(([hash], index) => [hash, vectors[index] ?? empty] as const)])
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
          const vectors = fresh.length === 0 ? [] : yield* embed(fresh.map(([, text]) => text))
          for (const [index, [hash]] of fresh.entries()) found.set(hash, vectors[index] ?? empty)
          for (const [hash, vector] of found) remember(hash, vector)
          return wanted.map((query) => found.get(hashOf(query.slice(0, longestQuery))) ?? empty)
        })
    }
  })

const empty = new Float32Array()

/** A refusal of these texts alone; others may be asked for. */
const isOfTexts = (error: ModelError): boolean =>
  error._tag === "ContextOverflow" || error._tag === "ModelRejected" && [400, 413, 422].includes(error.status)

/** Asks in bounded time, and rests after a failure that concerns everybody: until then it is the answer. */
const guarded = (embeddings: Embeddings["Type"]): Effect.Effect<Embeddings["Type"]["embed"]> =>
  Effect.sync(() => {
    let failure: { readonly error: ModelError; readonly until: number } | null = null
    return (texts) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (failure !== null && now < failure.until) return Effect.fail(failure.error)
        return embeddings.embed(texts).pipe(
          Effect.map((vectors) => vectors.map(unit)),
          Effect.timeoutFail({
            duration: patience,
            onTimeout: () =>
              new ModelUnavailable({
                provider: embeddings.model,
                reason: `The embeddings took longer than ${Duration.format(patience)}.`
              })
          }),
          Effect.tapError((error) => {
            if (isOfTexts(error)) return Effect.logWarning(`Texts have no embeddings: ${error.message}`)
            failure = { error, until: now + Duration.toMillis(rest) }
            return Effect.logWarning(`There are no embeddings for the next ${Duration.format(rest)}: ${error.message}`)
          })
        )
      })
  })
