import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  ChannelMembership,
  type ChannelNotFound,
  type ChatChannelId,
  type MembershipChanges,
  MembershipNotFound
} from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import type { UserPosition } from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import type { PageRequest } from "../../Runtime/Database/Page.ts"
import { rowOf, rowsOf } from "../../Runtime/Database/Query.ts"
import { storable, toStorableJson } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { chatAccountOf } from "../User/ChatAccounts.ts"
import { Channels } from "./Channels.ts"

/** A member in the prompt, with the role in the channel, else with the title of the profile. */
const DescribedMember = Schema.Struct({
  name: Schema.String,
  role: Schema.NullOr(Schema.String),
  responsibilities: Schema.NullOr(Schema.String)
})
export type DescribedMember = typeof DescribedMember.Type

/** Who is in which channel. Whoever sees a channel sees its members. An unreachable database is a defect. */
export class Memberships extends Context.Tag("troupe/People/Channel/Memberships")<Memberships, {
  /** By name, then by id. */
  readonly list: (
    channel: string,
    page: PageRequest<UserPosition>
  ) => Effect.Effect<ReadonlyArray<ChannelMembership>, ChannelNotFound>
  /** The user is named by our id or by the platform's. */
  readonly change: (
    channel: string,
    user: string,
    changes: MembershipChanges
  ) => Effect.Effect<ChannelMembership, ChannelNotFound | MembershipNotFound>
  /** Does nothing for an unknown channel; again, neither. */
  readonly add: (channel: string, user: UserId) => Effect.Effect<void>
  readonly remove: (channel: string, user: UserId) => Effect.Effect<void>
  // The others check no rights, and are no endpoints: they are for jobs and for what a caller was found to see.
  /** Makes the known ones of these people the members, in one transaction. */
  readonly replace: (
    id: ChatChannelId,
    people: { readonly platform: string; readonly accounts: ReadonlyArray<string> }
  ) => Effect.Effect<void>
  /** Those with a role or responsibilities first. */
  readonly described: (part: {
    readonly id: ChatChannelId
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<DescribedMember>>
  /** Whether the user is in the channel, or an owner or admin. */
  readonly mayRead: (id: ChatChannelId, user: UserId) => Effect.Effect<boolean>
}>() {
  static readonly layer: Layer.Layer<Memberships, never, Channels | SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.zipWith(Channels, SqlClient.SqlClient, make)
  )
}

const columns = `m.channel_id, m.user_id, ${
  chatAccountOf("m.user_id")
} as chat_user_id, u.name, m.role, m.responsibilities,
  ${timestamp("m.joined_at", "joined_at")}`

/** `positionOf` in SQL. */
const sortName = "lower(coalesce(u.name, m.user_id))"

const memberships = rowsOf(ChannelMembership)
const membershipOf = rowOf(ChannelMembership)
const describedMembers = rowsOf(DescribedMember)

function make(channels: Channels["Type"], sql: SqlClient.SqlClient): Memberships["Type"] {
  const membership = sql.literal(columns)
  const sorted = sql.literal(sortName)

  const done = (change: Effect.Effect<unknown, SqlError>) => change.pipe(Effect.asVoid, Effect.orDie, asService)

  return Memberships.of({
    list: (channel, { cursor, limit }) =>
      Effect.flatMap(channels.find(channel), ({ channel_id: id }) => {
        const next = Option.match(cursor, {
          onNone: () => sql``,
          onSome: ({ id, name }) => sql`and (${sorted}, m.user_id) > (lower(${storable(name)}::text), ${id})`
        })
        return asService(memberships(
          sql`select ${membership} from channel_members m left join users u on u.id = m.user_id
where m.channel_id = ${id} ${next} order by ${sorted}, m.user_id limit ${limit}`
        ))
      }),
    change: (channel, user, changes) =>
      Effect.gen(function*() {
        const { channel_id: id } = yield* channels.find(channel)
        const changed = yield* membershipOf(sql`update channel_members m set (role, responsibilities) = (
  select role, responsibilities from jsonb_populate_record(m, ${toStorableJson(changes)}::jsonb))
from users u where u.id = m.user_id and m.channel_id = ${id} and (u.id = ${storable(user)} or exists (
  select from chat_accounts c where c.user_id = u.id and c.account = ${storable(user)} and c.deactivated_at is null))
returning ${membership}`)
        return yield* Effect.mapError(changed, () => new MembershipNotFound({ channel_id: channel, user_id: user }))
      }),
    add: (channel, user) =>
      done(sql`insert into channel_members (channel_id, user_id) select channel_id, ${user} from channels
where channel_id = ${storable(channel)} on conflict do nothing`),
    remove: (channel, user) =>
      done(sql`delete from channel_members where channel_id = ${storable(channel)} and user_id = ${user}`),
    replace: (id, { accounts, platform }) =>
      sql`with seen as (
  select user_id from chat_accounts
  where platform = ${platform} and account = any(${accounts.map(storable)}::text[]) and deactivated_at is null
), left_channel as (
  delete from channel_members where channel_id = ${id} and user_id not in (select user_id from seen)
)
insert into channel_members (channel_id, user_id)
select c.channel_id, seen.user_id from channels c, seen where c.channel_id = ${id} order by seen.user_id
on conflict do nothing`.pipe(Effect.asVoid, Effect.orDie),
    described: ({ id, limit }) =>
      describedMembers(
        sql`select coalesce(u.display_name, u.name, m.user_id) as name, coalesce(m.role, u.title) as role,
  coalesce(m.responsibilities, u.responsibilities) as responsibilities
from channel_members m left join users u on u.id = m.user_id where m.channel_id = ${id}
order by (m.role is null and m.responsibilities is null), (u.title is null and u.responsibilities is null),
  ${sorted}, m.user_id limit ${limit}`
      ),
    mayRead: (id, user) =>
      sql`select 1 where exists (select from channel_members where channel_id = ${id} and user_id = ${user})
  or exists (select from users where id = ${user} and role in ('owner', 'admin'))`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      )
  })
}
