import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { UserId } from "@troupe/domain/Ids"
import { timeZoneOf, type UserProfile } from "@troupe/domain/User"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { v7 } from "uuid"
import { ChatPlatform, type ChatUser } from "../../Chat/ChatPlatform.ts"
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
  ): Layer.Layer<ChatUsers, never, ChatPlatform | SqlClient.SqlClient> =>
    Layer.effect(
      this,
      Effect.zipWith(SqlClient.SqlClient, ChatPlatform, (sql, { id }) => make(sql, id, options.trustsProfiles))
    )
}

const users = rowsOf(Known)

function make(sql: SqlClient.SqlClient, platform: string, trustsProfiles: boolean): ChatUsers["Type"] {
  /** The accounts of the platform that are in use, of the table `a`. */
  const active = sql`a.platform = ${platform} and a.deactivated_at is null`

  const known = (ids: ReadonlyArray<string>) =>
    users(sql`select user_id as id, account as chat_user_id from chat_accounts a
where ${active} and account = any(${ids.map(storable)}::text[])`)

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
  update chat_accounts a set deactivated_at = now() where ${active} and account = any(${ids.map(storable)}::text[])
  returning user_id
), changed as (
  update users set updated_at = now() where id in (select user_id from gone)
)
delete from channel_members where user_id in (select user_id from gone)`

  const relinked = (json: string) =>
    sql`with ${given(json)}
update chat_accounts f set deactivated_at = null from given g
where f.platform = ${platform} and f.account = g.chat_user_id and f.deactivated_at is not null
  and not exists (select from chat_accounts a where ${active} and a.user_id = f.user_id)`

  /** Users whom an earlier sync made, before the person signed in or entered the address, with the user who did. */
  const doubles = (json: string) =>
    pairsOf(sql`with ${given(json)}, doubles as (
  select d.id, u.id as user_id, row_number() over (partition by d.id order by u.created_at, u.id) as of_double,
    row_number() over (partition by u.id order by d.created_at, d.id) as of_kept
  from given g join chat_accounts a on ${active} and a.account = g.chat_user_id
  join users d on d.id = a.user_id join users u on ${isAddressOf} and ${isJoinable(sql)}
)
select id, user_id from doubles where of_double = 1 and of_kept = 1`)

  /** Those whose account is nobody's. */
  const newcomers = (json: string) =>
    sql`${given(json)}, newcomers as (
  select g.* from given g where not exists (select from chat_accounts a where ${active} and a.account = g.chat_user_id)
)`

  const linked = (json: string) =>
    sql`with ${newcomers(json)}, pairs as (
  select u.id, g.chat_user_id, row_number() over (partition by g.chat_user_id order by u.created_at, u.id) as of_person,
    row_number() over (partition by u.id order by g.chat_user_id) as of_user
  from newcomers g join users u on ${isAddressOf}
  where not u.is_system and not exists (select from chat_accounts a where ${active} and a.user_id = u.id)
)
${account(sql`id, chat_user_id from pairs where of_person = 1 and of_user = 1`)}`

  const inserted = (json: string) =>
    sql`with ${newcomers(json)}, made as (
  insert into users (id, name) select id, name from newcomers
)
${account(sql`id, chat_user_id from newcomers`)}`

  /** A deactivated account of somebody who has another one now may become somebody else's. */
  const account = (rows: Fragment) =>
    sql`insert into chat_accounts (platform, user_id, account) select ${platform}, ${rows}
on conflict (platform, account) do update set user_id = excluded.user_id, deactivated_at = null`

  const kept = (field: string, value: string) =>
    sql.literal(`case when '${field}' = any(u.overrides) then u.${field} else ${value} end`)

  const updated = (json: string) =>
    users(sql`with ${given(json)}, wanted as (
  select u.id, g.chat_user_id, ${kept("name", "g.name")} as name, ${
      kept("display_name", "g.display_name")
    } as display_name,
    ${kept("email", "coalesce(g.email, u.email)")} as email, ${kept("title", "g.title")} as title,
    ${kept("timezone", "coalesce(g.timezone, u.timezone)")} as timezone, g.avatar_url, g.is_guest
  from given g join chat_accounts a on ${active} and a.account = g.chat_user_id join users u on u.id = a.user_id
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
