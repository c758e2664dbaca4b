import type { UserId } from "@troupe/domain/Ids"
import type { User } from "@troupe/domain/User"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { makeExpiringCache } from "../Runtime/ExpiringCache.ts"
import { UserRepo } from "./UserRepo.ts"

export interface DirectoryEntry {
  readonly requester: User | null
  readonly colleagues: ReadonlyArray<User>
}

const timeToLive = Duration.seconds(30)

const maxColleagues = 20

/** People in the prompts of agents. */
export class Directory extends Context.Tag("troupe/People/Directory")<Directory, {
  /** Never fails: without the database, both are empty. */
  readonly find: (requester: UserId) => Effect.Effect<DirectoryEntry>
}>() {
  static readonly layer: Layer.Layer<Directory, never, UserRepo> = Layer.effect(
    this,
    Effect.gen(function*() {
      const repo = yield* UserRepo
      const requesters = makeExpiringCache({
        capacity: 1_000,
        timeToLive,
        lookup: (id: UserId) => orUnknown(repo.find(id), Option.none())
      })
      const described = makeExpiringCache({
        capacity: 1,
        timeToLive,
        lookup: (limit: number) => orUnknown(repo.described(limit), [])
      })
      return Directory.of({
        find: (id) =>
          Effect.zipWith(requesters.get(id), described.get(maxColleagues + 1), (requester, people) => ({
            requester: Option.getOrNull(requester),
            colleagues: people.filter((one) => one.id !== id).slice(0, maxColleagues)
          }))
      })
    })
  )
}

const orUnknown = <A>(lookup: Effect.Effect<A>, unknown: A): Effect.Effect<A> =>
  Effect.catchAllDefect(
    lookup,
    (defect) =>
      Effect.as(Effect.logWarning("Could not load the user directory; agents work without it", defect), unknown)
  )
