import type { UserId } from "@troupe/domain/Ids"
import { type newcomer, User, type UserChanges, type UserPosition, type UserProfile } from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { storable } from "../Runtime/StorableText.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"

/** Rows of users. A database that cannot be reached is a defect here: no caller can do anything about it. */
export class UserRepo extends Context.Tag("troupe/People/UserRepo")<UserRepo, {
  /** Leaves a user who is there already as they are. */
  readonly insert: (user: ReturnType<typeof newcomer>) => Effect.Effect<void>
  readonly exists: (id: UserId) => Effect.Effect<boolean>
  readonly find: (id: UserId) => Effect.Effect<Option.Option<User>>
  /** Of the five hundred who have been there longest, those of whom more than their id is known; no system user. */
  readonly described: (limit: number) => Effect.Effect<ReadonlyArray<User>>
  /** By name, ignoring case, then by id: those after `cursor`. */
  readonly list: (limit: number, cursor: Option.Option<UserPosition>) => Effect.Effect<ReadonlyArray<User>>
  /** Writes the fields that are there, and lists them as overrides. */
  readonly override: (id: UserId, changes: UserChanges) => Effect.Effect<Option.Option<User>>
  readonly clearOverrides: (id: UserId) => Effect.Effect<Option.Option<User>>
  /** What a chat platform says of a user: writes the fields that are there, but never one that a person has set. */
  readonly sync: (id: UserId, profile: UserProfile) => Effect.Effect<Option.Option<User>>
}>() {
  static readonly layer: Layer.Layer<UserRepo, never, PreparedStatements> = Layer.effect(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const many = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        database.execute(statement, values).pipe(Effect.flatMap(decode), Effect.orDie)
      const one = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        Effect.map(many(statement, values), ([user]) => Option.fromNullable(user))
      return UserRepo.of({
        insert: ({ id, is_system, name, role }) =>
          Effect.asVoid(Effect.orDie(database.execute(insert, [id, name, role, is_system]))),
        exists: (id) => Effect.orDie(Effect.map(database.execute(exists, [id]), (rows) => rows.length > 0)),
        find: (id) => one(find, [id]),
        described: (limit) => many(described, [limit]),
        list: (limit, cursor) => many(...listing(limit, cursor)),
        override: (id, changes) => one(override, [id, toJson(changes)]),
        clearOverrides: (id) => one(clear, [id]),
        sync: (id, profile) => one(sync, [id, toJson(profile)])
      })
    })
  )
}

const decode = Schema.decodeUnknown(Schema.Array(User))

const toJson = (fields: UserChanges | UserProfile): string =>
  JSON.stringify(fields, (_, value: unknown) => (typeof value === "string" ? storable(value) : value))

const columns = `id, name, display_name, email, chat_user_id, title, timezone, role, responsibilities, avatar_url,
  is_system, notify_by, overrides, ${timestamp("created_at", "created_at")}, ${timestamp("updated_at", "updated_at")}`

const insert: Prepared = {
  name: "users_insert",
  text: `insert into users (id, name, role, is_system) values ($1, $2::text, $3::text, $4::boolean)
on conflict (id) do nothing`
}

const exists: Prepared = { name: "users_exists", text: "select from users where id = $1" }

const find: Prepared = { name: "users_find", text: `select ${columns} from users where id = $1` }

const described: Prepared = {
  name: "users_described",
  text: `select ${columns} from (
  select * from users where not is_system order by created_at, id limit 500
) u
where name <> id or display_name is not null or title is not null or responsibilities is not null
order by u.created_at, id limit $1::integer`
}

const listing = (limit: number, cursor: Option.Option<UserPosition>): readonly [Prepared, ReadonlyArray<unknown>] =>
  Option.match(cursor, {
    onNone: () => [list, [limit]] as const,
    onSome: ({ id, name }) => [listAfter, [limit, storable(name), id]] as const
  })

/** `positionOf` in SQL. */
const sortName = "lower(coalesce(name, id))"

const list: Prepared = {
  name: "users_list",
  text: `select ${columns} from users order by ${sortName}, id limit $1::integer`
}

const listAfter: Prepared = {
  name: "users_list_after",
  text: `select ${columns} from users
where (${sortName}, id) > (lower($2::text), $3::text) order by ${sortName}, id limit $1::integer`
}

/** The row as it is but for the fields of some JSON. */
const filled = (json: string): string =>
  `(name, display_name, email, chat_user_id, title, timezone, responsibilities, avatar_url, notify_by) = (
    select name, display_name, email, chat_user_id, title, timezone, responsibilities, avatar_url,
      coalesce(notify_by, '{}')
    from jsonb_populate_record(u, ${json}))`

const override: Prepared = {
  name: "users_override",
  text: `update users u set ${filled("$2::jsonb")}, updated_at = now(),
  overrides = array(
    select unnest(u.overrides) union select jsonb_object_keys($2::jsonb) order by 1)
where id = $1 returning ${columns}`
}

const clear: Prepared = {
  name: "users_clear_overrides",
  text: `update users set overrides = '{}', updated_at = now() where id = $1 returning ${columns}`
}

const sync: Prepared = {
  name: "users_sync",
  text: `update users u set ${filled("$2::jsonb - u.overrides")}, updated_at = now()
where id = $1 returning ${columns}`
}
