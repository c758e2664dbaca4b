import { systemUser, type UserId } from "@troupe/domain/Ids"
import { newcomer, type User, type UserChanges, UserNotFound, type UserPosition } from "@troupe/domain/User"
import { Context, Effect, Layer, Option } from "effect"
import { UserRepo } from "./UserRepo.ts"

/** Use-cases over users (service.md, "Users"). */
export class Users extends Context.Tag("troupe/People/Users")<Users, {
  /** Sees that the user is there. Asks the database once for each user that this process meets. */
  readonly meet: (id: UserId) => Effect.Effect<void>
  /** The user that owns what webhooks cause; there from the first time that it is asked for. */
  readonly system: Effect.Effect<UserId>
  /** Fails for a user nobody has met. */
  readonly check: (id: UserId) => Effect.Effect<void, UserNotFound>
  /** By name, ignoring case, then by id. */
  readonly list: (page: {
    readonly limit: number
    /** The position of the last user of the page before. */
    readonly cursor: Option.Option<UserPosition>
  }) => Effect.Effect<ReadonlyArray<User>>
  /** Each field that is there becomes an override, also one that null clears. */
  readonly change: (id: UserId, changes: UserChanges) => Effect.Effect<User, UserNotFound>
  /** Fields keep their values, and the next sync may write them all. */
  readonly clearOverrides: (id: UserId) => Effect.Effect<User, UserNotFound>
}>() {
  static readonly layer: Layer.Layer<Users, never, UserRepo> = Layer.effect(
    this,
    Effect.map(UserRepo, (repo) => {
      // Nobody removes users, so one that was met stays; and to meet one twice does no harm.
      const met = new Set<UserId>()
      const remember = (id: UserId) => {
        if (met.size >= maxMet) met.clear()
        met.add(id)
      }
      const meet = (id: UserId) =>
        Effect.suspend(() => met.has(id) ? Effect.void : Effect.map(repo.insert(newcomer(id)), () => remember(id)))
      const orNotFound = (id: UserId, user: Effect.Effect<Option.Option<User>>) =>
        Effect.flatMap(
          user,
          Option.match({ onNone: () => Effect.fail(new UserNotFound({ id })), onSome: Effect.succeed })
        )
      return Users.of({
        meet,
        system: Effect.as(meet(systemUser), systemUser),
        check: (id) =>
          Effect.filterOrFail(repo.exists(id), (exists) => exists, () => new UserNotFound({ id })).pipe(Effect.asVoid),
        list: ({ cursor, limit }) => repo.list(limit, cursor),
        change: (id, changes) => orNotFound(id, repo.override(id, changes)),
        clearOverrides: (id) => orNotFound(id, repo.clearOverrides(id))
      })
    })
  )
}

/** How many users a process remembers. */
const maxMet = 10_000
