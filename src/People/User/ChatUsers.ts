import * as SqlClient from "@effect/sql/SqlClient"
import { UserId } from "@troupe/domain/Ids"
import { timeZoneOf, type UserProfile } from "@troupe/domain/User"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { v7 } from "uuid"
import type { ChatUser } from "../../Chat/ChatPlatform.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storable, toStorableJson } from "../../Runtime/Database/StorableText.ts"
import { changingUsers, holdsAddress, isJoinable, joinUsers, pairsOf } from "./JoinedUsers.ts"

/** A person of the chat platform; `id` is for a new user. */
interface PlatformUser extends Required<UserProfile> {
  readonly id: UserId
  readonly chat_user_id: string
  readonly is_guest: boolean
}

const Known = Schema.Struct({ id: UserId, chat_user_id: Schema.String })

/** Users as far as the chat platform has them. An unreachable database is a defect. */
export class ChatUsers extends Context.Tag("troupe/People/User/ChatUsers")<ChatUsers, {
  readonly find: (chatUserId: string) => Effect.Effect<Option.Option<UserId>>
  readonly unknown: (chatUserIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** As `writeAll`, for one person; none for a bot and for a deactivated account. */
  readonly write: (person: ChatUser) => Effect.Effect<Option.Option<UserId>>
  /**
   * Writes the platform's profiles, except overrides, in one transaction. A new person becomes the user with the same
   * e-mail address, or a new one. A user of an earlier sync is joined with the user who got that address meanwhile.
   * A guest, whose address another workspace may have set, becomes and is joined with nobody. Deactivated users leave
   * all channels, and bots are left out.
   */
  readonly writeAll: (people: ReadonlyArray<ChatUser>) => Effect.Effect<void>
}>() {
  /** `trustsProfiles`: an address entered by hand identifies its user. Hosted, anyone could enter another's. */
  static readonly layer = (
    options: { readonly trustsProfiles: boolean }
  ): Layer.Layer<ChatUsers, never, SqlClient.SqlClient> =>
    Layer.effect(this, Effect.map(SqlClient.SqlClient, (sql) => make(sql, options.trustsProfiles)))
}

const users = rowsOf(Known)

function make(sql: SqlClient.SqlClient, trustsProfiles: boolean): ChatUsers["Type"] {
  const known = (ids: ReadonlyArray<string>) =>
    users(sql`select id, chat_user_id from users where chat_user_id = any(${ids.map(storable)}::text[])`)

  const given = (json: string) =>
    sql`given as (
  select * from jsonb_to_recordset(${json}::jsonb) as g(id text, chat_user_id text, name text, display_name text,
    email text, title text, timezone text, avatar_url text, is_guest boolean)
)`
  /** Whether `g` may become the user `u` by the address. */
  const isAddressOf = trustsProfiles
    ? sql`not g.is_guest and ${holdsAddress(sql, "u")} and lower(u.email) = lower(g.email)`
    : sql`not g.is_guest and ${
      holdsAddress(sql, "u")
    } and case when exists (select from team_members where user_id = u.id)
    then exists (select from team_members where user_id = u.id and email = lower(g.email))
    else lower(u.email) = lower(g.email) and not 'email' = any(u.overrides) end`

  const deactivated = (ids: ReadonlyArray<string>) =>
    sql`with gone as (
  update users set former_chat_user_id = chat_user_id, chat_user_id = null, updated_at = now()
  where chat_user_id = any(${ids.map(storable)}::text[]) returning id
)
delete from channel_members where user_id in (select id from gone)`

  const relinked = (json: string) =>
    sql`with ${given(json)}, former as (
  select distinct on (g.chat_user_id) f.id, g.chat_user_id
  from given g join users f on f.former_chat_user_id = g.chat_user_id and f.chat_user_id is null
  where not exists (select from users where chat_user_id = g.chat_user_id)
  order by g.chat_user_id, f.updated_at desc, f.id
)
update users u set chat_user_id = f.chat_user_id, former_chat_user_id = null from former f where u.id = f.id`

  /** Users whom an earlier sync made, before the person signed in or entered the address, with the user who did. */
  const doubles = (json: string) =>
    pairsOf(sql`with ${given(json)}, doubles as (
  select d.id, u.id as user_id, row_number() over (partition by d.id order by u.created_at, u.id) as of_double,
    row_number() over (partition by u.id order by d.created_at, d.id) as of_kept
  from given g join users d on d.chat_user_id = g.chat_user_id join users u on ${isAddressOf} and ${isJoinable(sql)}
)
select id, user_id from doubles where of_double = 1 and of_kept = 1`)

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

  const updated = (json: string) =>
    users(sql`with ${given(json)}, wanted as (
  select u.id, g.chat_user_id, ${kept("name", "g.name")} as name, ${
      kept("display_name", "g.display_name")
    } as display_name,
    ${kept("email", "coalesce(g.email, u.email)")} as email, ${kept("title", "g.title")} as title,
    ${kept("timezone", "coalesce(g.timezone, u.timezone)")} as timezone, g.avatar_url, g.is_guest
  from given g join users u using (chat_user_id)
), written as (
  update users u set name = w.name, display_name = w.display_name, email = w.email, title = w.title,
    timezone = w.timezone, avatar_url = w.avatar_url, is_guest = w.is_guest, updated_at = now()
  from wanted w where u.id = w.id and (u.name, u.display_name, u.email, u.title, u.timezone, u.avatar_url, u.is_guest)
    is distinct from (w.name, w.display_name, w.email, w.title, w.timezone, w.avatar_url, w.is_guest)
)
select id, chat_user_id from wanted`)

  const write = Effect.fnUntraced(function*(people: ReadonlyArray<ChatUser>) {
    const msecs = yield* Clock.currentTimeMillis
    const active = people.filter(({ isBot, isDeactivated }) => !isBot && !isDeactivated)
    const distinct = new Map(active.map((person) => [person.id, platformUser(person, UserId.make(v7({ msecs })))]))
    const leaving = people.flatMap(({ id, isDeactivated }) => isDeactivated ? [id] : [])
    if (distinct.size + leaving.length === 0) return []
    const json = toStorableJson([...distinct.values()])
    return yield* deactivated(leaving).pipe(
      Effect.zipRight(relinked(json)),
      Effect.zipRight(Effect.flatMap(doubles(json), (pairs) => joinUsers(sql, pairs))),
      Effect.zipRight(linked(json)),
      Effect.zipRight(inserted(json)),
      Effect.zipRight(updated(json)),
      changingUsers(sql),
      Effect.orDie
    )
  }, asService)

  return ChatUsers.of({
    find: (id) => Effect.map(known([id]), ([user]) => Option.fromNullable(user?.id)).pipe(asService),
    unknown: Effect.fn("ChatUsers.unknown")(function*(ids: ReadonlyArray<string>) {
      const found = new Set((yield* known(ids)).map(({ chat_user_id }) => chat_user_id))
      return ids.filter((id) => !found.has(id))
    }, asService),
    write: Effect.fn("ChatUsers.write")((person: ChatUser) =>
      Effect.map(write([person]), ([user]) => Option.fromNullable(user?.id))
    ),
    writeAll: Effect.fn("ChatUsers.writeAll")((people: ReadonlyArray<ChatUser>) => Effect.asVoid(write(people)))
  })
}

const maxName = 200
const cut = (text: string | null, length = maxName): string | null => text === null ? null : text.slice(0, length)

const platformUser = (person: ChatUser, id: UserId): PlatformUser => ({
  id,
  chat_user_id: person.id,
  name: cut(person.realName ?? person.name),
  display_name: cut(person.displayName),
  email: person.email !== null && person.email.length <= 254 ? person.email : null,
  title: cut(person.title),
  timezone: Option.getOrNull(
    Option.filter(Option.fromNullable(person.timezone), (name) => Option.isSome(timeZoneOf(name)))
  ),
  avatar_url: cut(person.avatarUrl, 2_000),
  is_guest: person.isGuest
})
