import type { UserId } from "@troupe/domain/Ids"
import type { User } from "@troupe/domain/User"
import { Cache, Context, Duration, Effect, Layer, Option } from "effect"
import { UserRepo } from "./UserRepo.ts"

/** Who asks for something, and who else works with the service. */
export interface Introduction {
  readonly requester: User | null
  readonly colleagues: ReadonlyArray<User>
}

/** A change is seen after this long. */
const lookEvery = Duration.seconds(30)

/** So many others are told of at most. */
const mostColleagues = 20

/** People as agents are told of them. */
export class Roster extends Context.Tag("troupe/People/Roster")<Roster, {
  /** Never fails: while the database is away nobody is known. */
  readonly introduce: (requester: UserId) => Effect.Effect<Introduction>
}>() {
  static readonly layer: Layer.Layer<Roster, never, UserRepo> = Layer.effect(
    this,
    Effect.gen(function*() {
      const repo = yield* UserRepo
      const requesters = yield* Cache.make({
        capacity: 1_000,
        timeToLive: lookEvery,
        lookup: (id: UserId) => orUnknown(repo.find(id), Option.none())
      })
      const described = yield* Effect.cachedWithTTL(orUnknown(repo.described(mostColleagues + 1), []), lookEvery)
      return Roster.of({
        // Whoever asks first looks for all who ask meanwhile: called off, it would take them with it.
        introduce: (id) =>
          Effect.uninterruptible(Effect.zipWith(requesters.get(id), described, (requester, people) => ({
            requester: Option.getOrNull(requester),
            colleagues: people.filter((one) => one.id !== id).slice(0, mostColleagues)
          })))
      })
    })
  )

  /** Knows nobody. */
  static readonly layerNoop: Layer.Layer<Roster> = Layer.succeed(this, {
    introduce: () => Effect.succeed({ requester: null, colleagues: [] })
  })
}

const orUnknown = <A>(look: Effect.Effect<A>, unknown: A): Effect.Effect<A> =>
  Effect.catchAllDefect(
    look,
    (defect) => Effect.as(Effect.logWarning("It is not known who works here", defect), unknown)
  )
