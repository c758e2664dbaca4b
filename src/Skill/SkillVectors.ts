import { normalised } from "@troupe/domain/Vector"
import { Clock, Duration, Effect, Option } from "effect"
import { createHash } from "node:crypto"
import type { Embeddings } from "../Model/Embeddings.ts"
import { type ModelError, ModelUnavailable, refusesTexts } from "../Model/Model.ts"
import { makeExpiringMap } from "../Runtime/Cache.ts"

/** Vectors of length 1 of the descriptions of skills and tools, each of which is embedded once, and of requests. */
export interface SkillVectors {
  /** One vector a text, in their order; an empty one for a text that the model refuses while it accepts others. */
  readonly ofAll: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
  readonly ofQueries: (queries: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64")

/** Embedding models read no more of a text. */
const maxQueryLength = 8_000

/** Vectors that are kept besides those asked for last. */
const maxTexts = 2_000

/** After so many single refusals without an accepted text, the texts are not the cause. */
const maxRefused = 5

/** After so many refusals the other texts of a batch are not tried one by one, and count as refused. */
const maxSplits = 20

export const make = (embeddings: Embeddings["Type"]): SkillVectors => {
  const embed = guarded(embeddings)
  let known: ReadonlyMap<string, Float32Array> = new Map()
  /** Texts that the model refused, which are not sent again for a while. */
  const refused = makeExpiringMap<string, true>({ capacity: maxTexts, timeToLive: "10 minutes" })
  const exclusively = Effect.unsafeMakeSemaphore(1).withPermits(1)

  /** The vectors of the texts that the model accepts; where it refuses some, they are found by halving. */
  const embedAccepted = (texts: ReadonlyArray<Text>) => {
    const accepted: Array<readonly [hash: string, vector: Float32Array]> = []
    const left: Array<Text> = []
    const halves = (some: ReadonlyArray<Text>): Effect.Effect<void, ModelError> =>
      Effect.suspend(() => left.length < maxSplits ? asked(some) : Effect.sync(() => void left.push(...some)))
    const asked = (some: ReadonlyArray<Text>): Effect.Effect<void, ModelError> =>
      embed(some.map(([, text]) => text)).pipe(
        Effect.map((vectors) => void accepted.push(...some.map(([hash], at) => [hash, vectors[at] ?? empty] as const))),
        Effect.catchIf(refusesTexts, (error) => {
          if (some.length > 1) {
            const middle = some.length >> 1
            return Effect.zipRight(halves(some.slice(0, middle)), halves(some.slice(middle)))
          }
          left.push(...some)
          const isOfAll = accepted.length === 0 && known.size === 0 &&
            [maxRefused, texts.length].includes(left.length)
          return isOfAll ? Effect.fail(error) : Effect.void
        })
      )
    return Effect.as(halves(texts), { accepted, left })
  }

  const fill = (texts: ReadonlyMap<string, string>) =>
    Effect.gen(function*() {
      const fresh = yield* Effect.filter(
        [...texts].filter(([hash]) => !known.has(hash)),
        ([hash]) => Effect.map(refused.get(hash), Option.isSome),
        { negate: true }
      )
      if (fresh.length === 0) return known
      const { left, accepted } = yield* embedAccepted(fresh)
      for (const [hash, text] of left) {
        yield* refused.set(hash, true)
        yield* Effect.logWarning(
          `The embedding model refused a text of a skill or tool, so no request is similar to it: ${begin(text)}`
        )
      }
      const all = new Map([...known, ...accepted])
      for (const hash of [...all.keys()].slice(0, Math.max(0, all.size - texts.size - maxTexts))) {
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
        exclusively(fill(byHash)),
        (vectors) => hashes.map((hash) => vectors.get(hash) ?? empty)
      )
    },
    ofQueries: (queries) =>
      queries.length === 0 ? Effect.succeed([]) : Effect.tapError(
        embed(queries.map((query) => query.slice(0, maxQueryLength))),
        (error) =>
          refusesTexts(error)
            ? Effect.logWarning(`The embedding model refuses a request: ${error.message}`)
            : Effect.void
      )
  }
}

type Text = readonly [hash: string, text: string]

const begin = (text: string): string => JSON.stringify(text.slice(0, 80))

const empty = new Float32Array()

const timeout = Duration.seconds(20)

/** After a failure the provider is not called for this long, so that it does not delay every task. */
const pause = Duration.seconds(30)

/** Calls with a time limit; after a failure that is not about the texts, calls fail with it during the pause. */
const guarded = (embeddings: Embeddings["Type"]): Embeddings["Type"]["embed"] => {
  let failure: { readonly error: ModelError; readonly until: number } | null = null
  const pauseAfter = (error: ModelError) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      failure = { error, until: now + Duration.toMillis(pause) }
      return Effect.logWarning(`Embeddings paused for ${Duration.format(pause)} after a failure: ${error.message}`)
    })
  return (texts) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (failure !== null && now < failure.until) return Effect.fail(failure.error)
      return embeddings.embed(texts).pipe(
        Effect.map((vectors) => vectors.map(normalised)),
        Effect.timeoutFail({
          duration: timeout,
          onTimeout: () =>
            new ModelUnavailable({
              provider: embeddings.model,
              reason: `Embedding timed out after ${Duration.format(timeout)}.`
            })
        }),
        Effect.tapError((error) => refusesTexts(error) ? Effect.void : pauseAfter(error))
      )
    })
}
