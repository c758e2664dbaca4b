import type { SqlError } from "@effect/sql/SqlError"
import type { UserId } from "@troupe/domain/Ids"
import { Clock, Effect, Fiber, FiberMap, Option, type Scope } from "effect"
import type { ModelError } from "../Model/Model.ts"
import { refusesTexts } from "../Model/Refusal.ts"
import type { MemoryRepo, Space, Stranger } from "./MemoryRepo.ts"

/** Memories embedded at a time. */
const batchSize = 64

/** How long it takes until a user's memories are looked through again for those of another model, in ms. */
const interval = 600_000

/** How long a search waits for the memories that an earlier model left. */
const patience = "2 seconds"

const mostRemembered = 10_000

/**
 * Embeds anew what another model embedded: in the background, while the search that found it out waits a little. What
 * is not ready by then is not compared, so it is not found. What the model refuses gets a vector that is near to
 * nothing, so that it is not asked for again until the model changes.
 */
export const makeRenewal = ({ embed, repo }: {
  readonly repo: MemoryRepo["Type"]
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, ModelError>
}): Effect.Effect<(userId: UserId, space: Space) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const running = yield* FiberMap.make<UserId, void>()
    /** When each user's memories were last found to be of one space, in the order of these times. */
    const looked = new Map<UserId, number>()

    const remember = (userId: UserId, now: number) => {
      looked.delete(userId)
      looked.set(userId, now)
      for (const oldest of looked.keys()) {
        if (looked.size <= mostRemembered) break
        looked.delete(oldest)
      }
    }

    const vectorsOf = (
      strangers: ReadonlyArray<Stranger>,
      space: Space
    ): Effect.Effect<ReadonlyArray<Float32Array>, ModelError> =>
      Effect.catchIf(embed(strangers.map(({ content }) => content)), refusesTexts, (error) =>
        strangers.length > 1
          ? Effect.map(Effect.forEach(strangers, (stranger) => vectorsOf([stranger], space)), (all) => all.flat())
          : Effect.as(
            Effect.logWarning(`The memory ${strangers[0]?.id} can't be found: the embedding model refuses it`, error),
            [new Float32Array(space.dimensions)]
          ))

    const batch = Effect.fnUntraced(function*(userId: UserId, space: Space) {
      const strangers = yield* repo.strangers(userId, space, batchSize)
      if (strangers.length === 0) return 0
      const vectors = yield* vectorsOf(strangers, space)
      const renewed = strangers.flatMap(({ id, version }, place) => {
        const vector = vectors[place]
        return vector === undefined || vector.length !== space.dimensions ? [] : [{ id, version, vector }]
      })
      yield* repo.renew(userId, space, renewed)
      return renewed.length
    })

    const renewAll = (userId: UserId, space: Space): Effect.Effect<void> =>
      batch(userId, space).pipe(
        Effect.repeat({ while: (count) => count === batchSize }),
        Effect.zipRight(Effect.map(Clock.currentTimeMillis, (now) => remember(userId, now))),
        Effect.catchAll((error: ModelError | SqlError) =>
          Effect.logWarning("Memories of an earlier embedding model can't be found yet", error)
        )
      )

    return (userId, space) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (now - (looked.get(userId) ?? -Infinity) < interval) return
        yield* FiberMap.run(running, userId, renewAll(userId, space), { onlyIfMissing: true })
        // It is not told which fiber runs, when one did already.
        const renewing = FiberMap.unsafeGet(running, userId)
        if (Option.isSome(renewing)) yield* Effect.timeoutOption(Fiber.await(renewing.value), patience)
      })
  })
