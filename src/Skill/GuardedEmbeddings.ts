import { unit } from "@troupe/domain/SkillMatch"
import { Clock, Duration, Effect } from "effect"
import type { Embeddings } from "../Model/Embeddings.ts"
import { type ModelError, ModelUnavailable, refusesTexts } from "../Model/Model.ts"

const timeout = Duration.seconds(20)

/** A provider that is away must not hold up every task, so after a failure it is not called for this long. */
const pause = Duration.seconds(30)

/** Calls with a time limit; after a failure that is not about the texts, calls fail with it during the pause. */
export const guarded = (embeddings: Embeddings["Type"]): Effect.Effect<Embeddings["Type"]["embed"]> =>
  Effect.sync(() => {
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
          Effect.map((vectors) => vectors.map(unit)),
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
  })
