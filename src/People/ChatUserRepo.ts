import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { UserId } from "@troupe/domain/Ids"
import type { UserProfile } from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { storable } from "../Runtime/StorableText.ts"

/** A person of the chat platform; `id` is for a new user. */
export interface PlatformUser extends Required<UserProfile> {
  readonly id: UserId
  readonly chat_user_id: string
}

const Known = Schema.Struct({ id: UserId, chat_user_id: Schema.String })

/** Users as far as the chat platform has them. An unreachable database is a defect. */
export class ChatUserRepo extends Context.Tag("troupe/People/ChatUserRepo")<ChatUserRepo, {
  readonly find: (chatUserId: string) => Effect.Effect<Option.Option<UserId>>
  readonly known: (chatUserIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /**
   * Writes profiles, except overrides, in one transaction. A new person becomes the user with the same e-mail address,
   * or a new one. Deactivated users leave all channels.
   */
  readonly write: (
    people: ReadonlyArray<PlatformUser>,
    deactivated: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<typeof Known.Type>>
}>() {
  /**
   * `trustsProfiles`: an address entered by hand identifies its user. Not in hosted mode, where anyone could enter
   * another's.
   */
  static readonly layer = (
    options: { readonly trustsProfiles: boolean }
  ): Layer.Layer<ChatUserRepo, never, SqlClient.SqlClient> =>
    Layer.effect(this, Effect.map(SqlClient.SqlClient, (sql) => makeRepo(sql, options.trustsProfiles)))
}

/** Two writers would create the same user twice: `select hashtext('troupe chat users')`. */
const usersLock = 1_205_338_467

function makeRepo(sql: SqlClient.SqlClient, trustsProfiles: boolean): ChatUserRepo["Type"] {
  const find = SqlSchema.findOne({
    Request: Schema.String,
    Result: Known,
    execute: (id) => sql`select id, chat_user_id from users where chat_user_id = ${storable(id)}`
  })

  const known = SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Known,
    execute: (ids) => sql`select id, chat_user_id from users where chat_user_id = any(${ids.map(storable)}::text[])`
  })

  const given = (json: string) =>
    sql`given as (
  select * from jsonb_to_recordset(${json}::jsonb) as g(id text, chat_user_id text, name text, display_name text,
    email text, title text, timezone text, avatar_url text)
)`
  /** Whether the address of `g` is that of the user `u`. */
  const isAddressOf = trustsProfiles
    ? sql`lower(u.email) = lower(g.email)`
    : sql`case when exists (select from team_members where user_id = u.id)
    then exists (select from team_members where user_id = u.id and email = lower(g.email))
    else lower(u.email) = lower(g.email) and not 'email' = any(u.overrides) end`

  const deactivated = (ids: ReadonlyArray<string>) =>
    sql`with gone as (
  update users set former_chat_user_id = chat_user_id, chat_user_id = null, updated_at = now()
  where chat_user_id = any(${ids.map(storable)}::text[]) returning id
)
delete from channel_members where user_id in (select id from gone)`

  const relinked = (json: string) =>
    sql`with ${given(json)}
update users u set chat_user_id = g.chat_user_id, former_chat_user_id = null from given g
where u.former_chat_user_id = g.chat_user_id and u.chat_user_id is null
  and not exists (select from users where chat_user_id = g.chat_user_id)`

  const linked = (json: string) =>
    sql`with ${given(json)}, pairs as (
  select u.id, g.chat_user_id, row_number() over (partition by g.chat_user_id order by u.created_at, u.id) as of_person,
    row_number() over (partition by u.id order by g.chat_user_id) as of_user
  from given g join users u on ${isAddressOf}
  where u.chat_user_id is null and not u.is_system
    and not exists (select from users where chat_user_id = g.chat_user_id)
)
update users set chat_user_id = pairs.chat_user_id, former_chat_user_id = null from pairs
where users.id = pairs.id and of_person = 1 and of_user = 1`

  const inserted = (json: string) =>
    sql`with ${given(json)}
insert into users (id, name, chat_user_id) select g.id, g.name, g.chat_user_id from given g
where not exists (select from users where chat_user_id = g.chat_user_id)`

  const kept = (field: string, value: string) =>
    sql.literal(`case when '${field}' = any(u.overrides) then u.${field} else ${value} end`)

  const updated = SqlSchema.findAll({
    Request: Schema.String,
    Result: Known,
    execute: (json) =>
      sql`with ${given(json)}, wanted as (
  select u.id, g.chat_user_id, ${kept("name", "g.name")} as name, ${
        kept("display_name", "g.display_name")
      } as display_name,
    ${kept("email", "coalesce(g.email, u.email)")} as email, ${kept("title", "g.title")} as title,
    ${kept("timezone", "coalesce(g.timezone, u.timezone)")} as timezone, g.avatar_url
  from given g join users u using (chat_user_id)
), written as (
  update users u set name = w.name, display_name = w.display_name, email = w.email, title = w.title,
    timezone = w.timezone, avatar_url = w.avatar_url, updated_at = now()
  from wanted w where u.id = w.id and (u.name, u.display_name, u.email, u.title, u.timezone, u.avatar_url)
    is distinct from (w.name, w.display_name, w.email, w.title, w.timezone, w.avatar_url)
)
select id, chat_user_id from wanted`
  })

  return ChatUserRepo.of({
    find: (id) => Effect.map(Effect.orDie(find(id)), Option.map((user) => user.id)),
    known: (ids) => Effect.map(Effect.orDie(known(ids)), (rows) => rows.map(({ chat_user_id }) => chat_user_id)),
    write: (people, deactivatedIds) => {
      const distinct = new Map(people.map((one) => [one.chat_user_id, one]))
      const json = JSON.stringify(
        [...distinct.values()],
        (_, value: unknown) => (typeof value === "string" ? storable(value) : value)
      )
      return distinct.size + deactivatedIds.length === 0
        ? Effect.succeed([])
        : sql`select pg_advisory_xact_lock(${usersLock})`.pipe(
          Effect.zipRight(deactivated(deactivatedIds)),
          Effect.zipRight(relinked(json)),
          Effect.zipRight(linked(json)),
          Effect.zipRight(inserted(json)),
          Effect.zipRight(updated(json)),
          sql.withTransaction,
          Effect.orDie
        )
    }
  })
}
