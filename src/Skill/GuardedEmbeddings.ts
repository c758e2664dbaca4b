import { unit } from "@troupe/domain/SkillMatch"
import { Clock, Duration, Effect } from "effect"
import type { Embeddings } from "../Model/Embeddings.ts"
import { type ModelError, ModelUnavailable } from "../Model/Model.ts"
import { refusesTexts } from "../Model/Refusal.ts"

const patience = Duration.seconds(20)

/** After a failure nothing is asked for this long: a provider that is away must not hold up every task. */
const rest = Duration.seconds(30)

/** Asks in bounded time, and rests after a failure that concerns everybody: until then it is the answer. */
export const guarded = (embeddings: Embeddings["Type"]): Effect.Effect<Embeddings["Type"]["embed"]> =>
  Effect.sync(() => {
    let failure: { readonly error: ModelError; readonly until: number } | null = null
    const restAfter = (error: ModelError) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        failure = { error, until: now + Duration.toMillis(rest) }
        return Effect.logWarning(`There are no embeddings for the next ${Duration.format(rest)}: ${error.message}`)
      })
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
          Effect.tapError((error) => refusesTexts(error) ? Effect.void : restAfter(error))
        )
      })
  })
