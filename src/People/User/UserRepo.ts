import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import { gatewayNames } from "@troupe/domain/DeliveryWay"
import { defaultUser, systemUser, type UserId } from "@troupe/domain/Ids"
import {
  AddressTaken,
  type newcomer,
  User,
  type UserChanges,
  type UserPosition,
  type UserProfile
} from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Struct } from "effect"
import type { PageRequest } from "../../Runtime/Database/Page.ts"
import { rowOf, rowsOf } from "../../Runtime/Database/Query.ts"
import { storable, toStorableJson } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { gatewayColumns } from "./Addresses.ts"
import { chatAccountOf } from "./ChatAccounts.ts"
import { isGuest } from "./Guests.ts"
import { changingUsers, holdersOf, holdsAddress, joinUsers, obstacleOf } from "./JoinedUsers.ts"
import { type FindNamed, makeFindNamed } from "./NamedPeople.ts"
import { profileFields } from "./ProfileFields.ts"

/** A database that can't be reached is a defect here, because no caller can act on it. */
export class UserRepo extends Context.Tag("troupe/People/User/UserRepo")<UserRepo, {
  readonly insert: (user: ReturnType<typeof newcomer>) => Effect.Effect<void>
  readonly find: (id: UserId) => Effect.Effect<Option.Option<User>>
  readonly isGuest: (id: UserId) => Effect.Effect<boolean>
  /** The oldest user, no system user, with the address in any case; a guest only if somebody entered it here. */
  readonly findByEmail: (address: string) => Effect.Effect<Option.Option<User>>
  readonly named: FindNamed
  /** Users with more than an id, among the oldest 500; no system user. */
  readonly described: (limit: number) => Effect.Effect<ReadonlyArray<User>>
  readonly list: (page: PageRequest<UserPosition>) => Effect.Effect<ReadonlyArray<User>>
  /** Writes the given fields and lists each as an override. */
  readonly override: (id: UserId, changes: UserChanges) => Effect.Effect<Option.Option<User>>
  /** As `override`, with an address that no other user has, or whose other users may be joined with this one. */
  readonly identify: (
    id: UserId,
    changes: UserChanges & { readonly email: string },
    join: boolean
  ) => Effect.Effect<Option.Option<User>, AddressTaken>
  readonly clearOverrides: (id: UserId) => Effect.Effect<Option.Option<User>>
  /** Removes the profile. A member of the team and the users of the service itself stay, without it. */
  readonly remove: (id: UserId) => Effect.Effect<void>
  readonly sync: (id: UserId, profile: UserProfile) => Effect.Effect<Option.Option<User>>
}>() {
  static readonly layer: Layer.Layer<UserRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

const profile = profileFields.join(", ")

const columns = `id, ${profile}, ${gatewayColumns}${
  chatAccountOf("id")
} as chat_user_id, role, is_system, notify_by, overrides, ${timestamp("created_at", "created_at")}, ${
  timestamp("updated_at", "updated_at")
}`

const withoutProfile = profileFields.map((field) => `${field} = ${field === "name" ? "id" : "null"}`).join(", ")

/** `positionOf` in SQL. */
const sortName = "lower(coalesce(name, id))"

const orDieUnlessTaken = Effect.catchAll((error: AddressTaken | SqlError) =>
  error instanceof AddressTaken ? Effect.fail(error) : Effect.die(error)
)

const rows = rowsOf(User)
const row = rowOf(User)

function makeRepo(sql: SqlClient.SqlClient): UserRepo["Type"] {
  const user = sql.literal(columns)
  const sorted = sql.literal(sortName)

  const filled = (json: Statement.Fragment) =>
    sql`(${sql.literal(profile)}, notify_by) = (
      select ${sql.literal(profile)}, coalesce(notify_by, '{}')
      from jsonb_populate_record(u, ${json}))`

  const find = (id: UserId) => row(sql`select ${user} from users where id = ${id}`)
  const override = (id: UserId, changes: UserChanges) => {
    const json = toStorableJson(changes)
    const addresses = toStorableJson(Struct.pick(changes, ...gatewayNames))
    return row(sql`update users u set ${filled(sql`${json}::jsonb`)}, updated_at = now(),
  addresses = u.addresses || ${addresses}::jsonb,
  overrides = array(select unnest(u.overrides) union select jsonb_object_keys(${json}::jsonb) order by 1)
where id = ${id} returning ${user}`)
  }

  return UserRepo.of({
    insert: ({ id, is_system, name, role }) =>
      sql`insert into users (id, name, role, is_system) values (${id}, ${name}, ${role}, ${is_system})
on conflict (id) do nothing`.pipe(Effect.asVoid, Effect.orDie),
    find,
    findByEmail: (address) =>
      row(sql`select ${user} from users u
where lower(email) = lower(${storable(address)}::text) and not is_system and ${holdsAddress(sql, "u")}
order by created_at, id limit 1`),
    named: makeFindNamed(sql),
    described: (limit) =>
      rows(sql`select ${user} from (
  select * from users where not is_system order by created_at, id limit 500
) u
where name <> id or display_name is not null or title is not null or responsibilities is not null
order by u.created_at, id limit ${limit}`),
    list: ({ cursor, limit }) => {
      const where = Option.match(cursor, {
        onNone: () => sql``,
        onSome: ({ id, name }) => sql`where (${sorted}, id) > (lower(${storable(name)}::text), ${id})`
      })
      return rows(sql`select ${user} from users ${where} order by ${sorted}, id limit ${limit}`)
    },
    isGuest: (id) =>
      sql`select from users t where t.id = ${id} and ${sql.literal(isGuest("t.id"))}`.pipe(
        Effect.map((found) => found.length > 0),
        Effect.orDie
      ),
    override,
    identify: (id, changes, join) =>
      Effect.gen(function*() {
        const holders = yield* holdersOf(sql, id, changes.email)
        for (const holder of holders) {
          const reason = obstacleOf(holder)
          if (join && reason === null) continue
          return yield* new AddressTaken({ email: changes.email, user_id: holder.id, name: holder.name, reason })
        }
        const changed = yield* override(id, changes)
        if (Option.isNone(changed)) return changed
        yield* joinUsers(sql, holders.map((holder) => ({ id: holder.id, user_id: id })))
        return yield* find(id)
      }).pipe(changingUsers(sql), orDieUnlessTaken),
    clearOverrides: (id) =>
      row(sql`update users set overrides = '{}', updated_at = now() where id = ${id} returning ${user}`),
    remove: (id) =>
      sql`delete from users where id = ${id} and not (${sql.in("id", [defaultUser, systemUser])})
and not exists (select from team_members where user_id = ${id})`.pipe(
        Effect.zipRight(sql`delete from former_members where user_id = ${id}`),
        Effect.zipRight(sql`update team_members set name = null where user_id = ${id}`),
        Effect.zipRight(sql`delete from chat_accounts where user_id = ${id}`),
        Effect.zipRight(sql`delete from channel_members where user_id = ${id}`),
        Effect.zipRight(sql`delete from channel_messages where user_id = ${id}`),
        Effect.zipRight(
          sql`update users set ${sql.literal(withoutProfile)},
  addresses = '{}', is_guest = false, notify_by = '{}', overrides = '{}', updated_at = now()
where id = ${id}`
        ),
        sql.withTransaction,
        Effect.asVoid,
        Effect.orDie
      ),
    sync: (id, profile) =>
      row(sql`update users u set ${filled(sql`${toStorableJson(profile)}::jsonb - u.overrides`)}, updated_at = now()
where id = ${id} returning ${user}`)
  })
}
