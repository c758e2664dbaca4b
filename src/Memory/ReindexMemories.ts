import type { UserId } from "@troupe/domain/Ids"
import { Effect, Fiber, FiberMap, Option, type Scope } from "effect"
import { type ModelError, refusesTexts } from "../Model/Model.ts"
import { makeExpiringMap } from "../Runtime/Cache.ts"
import { withoutCallLimit } from "../Runtime/CallTimeLeft.ts"
import type { MemoryRepo, Space, StaleMemory } from "./MemoryRepo.ts"

const batchSize = 64

const searchTimeout = "2 seconds"

/** Embeds memories of an earlier model again in the background; the search that noticed them waits at most 2 s. */
export const makeReindexMemories = ({ embed, repo }: {
  readonly repo: MemoryRepo["Type"]
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}): Effect.Effect<(userId: UserId, space: Space) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const running = yield* FiberMap.make<UserId, void>()
    /** Users whose memories were all of the current space when last read. */
    const renewed = makeExpiringMap<UserId, true>({ capacity: 10_000, timeToLive: "10 minutes" })

    const vectorsOf = (
      stale: ReadonlyArray<StaleMemory>,
      space: Space
    ): Effect.Effect<ReadonlyArray<Float32Array>, ModelError> =>
      Effect.catchIf(embed(stale.map(({ content }) => content)), refusesTexts, (error) =>
        stale.length > 1
          ? Effect.map(Effect.forEach(stale, (memory) => vectorsOf([memory], space)), (all) => all.flat())
          : Effect.as(
            Effect.logWarning(`The embedding model refused memory ${stale[0]?.id}; searches will not find it`, error),
            // A zero vector is similar to nothing, and the model is not asked again.
            [new Float32Array(space.dimensions)]
          ))

    const renewBatch = Effect.fnUntraced(function*(userId: UserId, space: Space) {
      const stale = yield* repo.stale(userId, space, batchSize)
      if (stale.length === 0) return 0
      const vectors = yield* vectorsOf(stale, space)
      const batch = stale.flatMap(({ id, version }, place) => {
        const vector = vectors[place]
        return vector === undefined || vector.length !== space.dimensions ? [] : [{ id, version, vector }]
      })
      yield* repo.renew(userId, space, batch)
      return batch.length
    })

    const renewAll = (userId: UserId, space: Space): Effect.Effect<void> =>
      renewBatch(userId, space).pipe(
        Effect.repeat({ while: (count) => count === batchSize }),
        Effect.zipRight(renewed.set(userId, true)),
        Effect.catchAllCause((cause) =>
          Effect.logWarning(
            "Embedding memories again after a change of the model failed; the user's next search retries it",
            cause
          ).pipe(Effect.annotateLogs({ user_id: userId }))
        )
      )

    return (userId, space) =>
      Effect.gen(function*() {
        if (Option.isSome(yield* renewed.get(userId))) return
        yield* FiberMap.run(running, userId, withoutCallLimit(renewAll(userId, space)), { onlyIfMissing: true })
        // With onlyIfMissing, `run` does not return the fiber that was running already.
        const renewing = FiberMap.unsafeGet(running, userId)
        if (Option.isSome(renewing)) yield* Effect.timeoutOption(Fiber.await(renewing.value), searchTimeout)
      })
  })
