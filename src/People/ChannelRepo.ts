import * as SqlClient from "@effect/sql/SqlClient"
import { Channel, type ChannelRecordId, ChatChannelId } from "@troupe/domain/Channel"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { idBefore, type Piece } from "../Runtime/Database/Page.ts"
import { rowOf, rowsOf, theRow } from "../Runtime/Database/Query.ts"
import { storable, toStorableJson } from "../Runtime/Database/StorableText.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"

export const ChannelRow = Schema.Struct(Channel.fields).pipe(Schema.omit("project_path"))
export type ChannelRow = typeof ChannelRow.Type

/** A channel as the platform has it; `id` is for a new row. */
export interface PlatformChannel
  extends
    Pick<ChannelRow, "channel_id" | "id" | "is_active" | "is_member" | "is_private" | "name" | "purpose" | "topic">
{
  /** Null: unknown, so that the last known number stays. */
  readonly member_count: number | null
}

const Written = Schema.Struct({ created: Schema.Int, updated: Schema.Int, deactivated: Schema.Int })

/** Statements of a request see the channels that its caller may see. An unreachable database is a defect. */
export class ChannelRepo extends Context.Tag("troupe/People/ChannelRepo")<ChannelRepo, {
  /** Newest first. */
  readonly list: (page: Piece<ChannelRecordId>) => Effect.Effect<ReadonlyArray<ChannelRow>>
  readonly find: (id: ChatChannelId) => Effect.Effect<Option.Option<ChannelRow>>
  readonly findProject: (projectId: string) => Effect.Effect<Option.Option<ChannelRow>>
  /** Ids of the active channels that our bot is in. */
  readonly joined: Effect.Effect<ReadonlyArray<ChatChannelId>>
  /** Writes channels in one statement. One that our bot is in becomes a project, and stays one. */
  readonly write: (channels: ReadonlyArray<PlatformChannel>) => Effect.Effect<typeof Written.Type>
  /** The time of the database, for `deactivateUnlisted`. */
  readonly now: Effect.Effect<string>
  /** Deactivates the channels that were last written before that time. */
  readonly deactivateUnlisted: (since: string) => Effect.Effect<number>
  readonly deactivate: (id: ChatChannelId) => Effect.Effect<boolean>
  readonly setMember: (id: ChatChannelId, isMember: boolean) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChannelRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

const columns = `id::text, channel_id, name, topic, purpose, is_private, is_active, is_member, project_id, summary,
  member_count, ${timestamp("last_synced_at", "last_synced_at")}`

const rows = rowsOf(ChannelRow)
const row = rowOf(ChannelRow)
const ids = rowsOf(Schema.Struct({ channel_id: ChatChannelId }))
const counts = rowsOf(Written)
const times = rowsOf(Schema.Struct({ now: Schema.String }))

function makeRepo(sql: SqlClient.SqlClient): ChannelRepo["Type"] {
  const channel = sql.literal(columns)

  return ChannelRepo.of({
    list: ({ cursor, limit }) =>
      rows(sql`select ${channel} from channels where channels.id < ${idBefore(cursor)}::uuid
order by channels.id desc limit ${limit}`),
    find: (id) => row(sql`select ${channel} from channels where channel_id = ${id}`),
    findProject: (id) => row(sql`select ${channel} from channels where project_id = ${storable(id)}`),
    joined: Effect.map(
      ids(sql`select channel_id from channels where is_active and is_member order by channel_id`),
      (rows) => rows.map(({ channel_id }) => channel_id)
    ),
    write: (channels) => {
      const distinct = new Map(channels.map((one) => [one.channel_id, one]))
      if (distinct.size === 0) return Effect.succeed({ created: 0, updated: 0, deactivated: 0 })
      const json = toStorableJson([...distinct.values()])
      return theRow(counts(sql`with given as (
  select * from jsonb_to_recordset(${json}::jsonb) as g(id uuid, channel_id text, name text, topic text, purpose text,
    is_private boolean, is_active boolean, is_member boolean, member_count integer)
), known as (
  select c.* from channels c join given using (channel_id) order by channel_id for update of c
), written as (
  insert into channels as c (id, channel_id, name, topic, purpose, is_private, is_active, is_member, member_count,
    project_id, last_synced_at)
  select g.id, channel_id, g.name, g.topic, g.purpose, g.is_private, g.is_active, g.is_member,
    coalesce(g.member_count, k.member_count, 0), case when g.is_member then channel_id end, clock_timestamp()
  from given g left join known k using (channel_id) order by channel_id
  on conflict (channel_id) do update set name = excluded.name, topic = excluded.topic, purpose = excluded.purpose,
    is_private = excluded.is_private, is_active = excluded.is_active, is_member = excluded.is_member,
    member_count = excluded.member_count, project_id = coalesce(c.project_id, excluded.project_id),
    last_synced_at = excluded.last_synced_at
  returning channel_id, name, topic, purpose, is_private, is_active, is_member, member_count
)
select count(*) filter (where k.channel_id is null)::integer as created,
  count(*) filter (where k.is_active and not w.is_active)::integer as deactivated,
  count(*) filter (where k.channel_id is not null and (k.is_active = w.is_active or w.is_active)
    and (k.name, k.topic, k.purpose, k.is_private, k.is_active, k.is_member, k.member_count)
      is distinct from (w.name, w.topic, w.purpose, w.is_private, w.is_active, w.is_member, w.member_count)
  )::integer as updated
from written w left join known k using (channel_id)`))
    },
    now: Effect.map(theRow(times(sql`select clock_timestamp()::text as now`)), ({ now }) => now),
    deactivateUnlisted: (since) =>
      sql`update channels set is_active = false, is_member = false
where is_active and (last_synced_at is null or last_synced_at < ${since}::timestamptz) returning 1`.pipe(
        Effect.map((rows) => rows.length),
        Effect.orDie
      ),
    deactivate: (id) =>
      sql`update channels set is_active = false, is_member = false, last_synced_at = clock_timestamp()
where channel_id = ${id} and is_active returning 1`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
    setMember: (id, isMember) =>
      sql`update channels set is_member = ${isMember},
  project_id = case when ${isMember} then coalesce(project_id, channel_id) else project_id end
where channel_id = ${id}`.pipe(Effect.asVoid, Effect.orDie)
  })
}
