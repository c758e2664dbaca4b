import { SqlError } from "@effect/sql/SqlError"
import { isAdmin, NotAllowed } from "@troupe/domain/Caller"
import { defaultUser, systemUser, type UserId } from "@troupe/domain/Ids"
import {
  type AddressTaken,
  newcomer,
  type User,
  type UserChanges,
  UserNotFound,
  type UserPosition
} from "@troupe/domain/User"
import { Cause, Context, Duration, Effect, Layer, Option } from "effect"
import { makeExpiringCache } from "../../Runtime/Cache.ts"
import { connectionWait } from "../../Runtime/Database/Connections.ts"
import { asService, outsideTransaction, statementCaller } from "../../Runtime/Database/Isolation.ts"
import type { PageRequest } from "../../Runtime/Database/Page.ts"
import { untilAvailable } from "../../Runtime/Database/Sql.ts"
import type { FindNamed } from "./NamedPeople.ts"
import { UserRepo } from "./UserRepo.ts"

const insertTimeout = Duration.sum(connectionWait, "5 seconds")

export class Users extends Context.Tag("troupe/People/User/Users")<Users, {
  /** Runs a statement at most once a minute for each user and process. */
  readonly ensureExists: (id: UserId) => Effect.Effect<void>
  /** The user, who is created if there is none yet. */
  readonly existing: (id: UserId) => Effect.Effect<User, UserNotFound>
  readonly system: Effect.Effect<UserId>
  /** A guest of the chat platform, and no member of the team. */
  readonly isGuest: (id: UserId) => Effect.Effect<boolean>
  readonly check: (id: UserId) => Effect.Effect<void, UserNotFound>
  /** The functions of `Access` call it for the people whom requests name. */
  readonly named: FindNamed
  /** The user alone; none if there is none yet. */
  readonly found: (id: UserId) => Effect.Effect<ReadonlyArray<User>>
  readonly list: (page: PageRequest<UserPosition>) => Effect.Effect<ReadonlyArray<User>>
  /** With `join`, other users who have the given address become this one; hosted, only for an owner or admin. */
  readonly change: (
    id: UserId,
    changes: UserChanges,
    join?: boolean
  ) => Effect.Effect<User, AddressTaken | NotAllowed | UserNotFound>
  readonly clearOverrides: (id: UserId) => Effect.Effect<User, UserNotFound>
  /** Removes the profile of the user, who exists again with the next task. */
  readonly remove: (id: UserId) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Users, never, UserRepo> = Layer.effect(
    this,
    Effect.gen(function*() {
      const repo = yield* UserRepo
      const { forget, get: ensureExists } = makeExpiringCache({
        capacity: 10_000,
        // Another process may remove the user.
        timeToLive: Duration.minutes(1),
        // A statement on a lost connection would hold all requests of the user for a minute.
        lookup: (id: UserId) =>
          asService(repo.insert(newcomer(id))).pipe(
            // In a transaction that is rolled back, the cache would remember a user who does not exist.
            outsideTransaction,
            Effect.disconnect,
            Effect.timeoutFailCause({
              duration: insertTimeout,
              onTimeout: () =>
                Cause.die(
                  new SqlError({
                    cause: null,
                    message: `User ${id} was not created within ${Duration.format(insertTimeout)}`
                  })
                )
            })
          )
      })
      const orNotFound = <E = never>(id: UserId, user: Effect.Effect<Option.Option<User>, E>) =>
        Effect.flatMap(
          user,
          Option.match({ onNone: () => Effect.fail(new UserNotFound({ id })), onSome: Effect.succeed })
        )
      return Users.of({
        ensureExists,
        existing: (id) => Effect.zipRight(ensureExists(id), orNotFound(id, repo.find(id))),
        system: Effect.as(ensureExists(systemUser), systemUser),
        isGuest: repo.isGuest,
        check: (id) => Effect.asVoid(orNotFound(id, repo.find(id))),
        named: repo.named,
        found: (id) => Effect.map(repo.find(id), Option.toArray),
        list: repo.list,
        change: (id, changes, join = false) =>
          Effect.gen(function*() {
            const { email } = changes
            if (typeof email !== "string") return yield* orNotFound(id, repo.override(id, changes))
            const caller = yield* statementCaller
            if (join && caller !== null && !isAdmin(caller)) return yield* joinNotAllowed
            // Who else has the address, a member can't read.
            return yield* orNotFound(id, asService(repo.identify(id, { ...changes, email }, join)))
          }),
        clearOverrides: (id) => orNotFound(id, repo.clearOverrides(id)),
        remove: (id) => Effect.ensuring(repo.remove(id), forget(id))
      })
    })
  )
}

const joinNotAllowed = new NotAllowed({ reason: "Only an owner or admin may join two users." })

export const layerDefaultUser: Layer.Layer<never, never, Users> = Layer.effectDiscard(
  Effect.flatMap(Users, ({ ensureExists }) => ensureExists(defaultUser)).pipe(untilAvailable(), Effect.orDie)
)

export interface DirectoryEntry {
  readonly requester: User | null
  readonly colleagues: ReadonlyArray<User>
}

const timeToLive = Duration.seconds(30)

const maxColleagues = 20

/** People in the prompts of agents. */
export class Directory extends Context.Tag("troupe/People/User/Users/Directory")<Directory, {
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
