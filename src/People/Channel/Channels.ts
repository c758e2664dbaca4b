import * as SqlClient from "@effect/sql/SqlClient"
import { Channel, ChannelNotFound, type ChannelRecordId, ChatChannelId, isChatChannelId } from "@troupe/domain/Channel"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { idBefore, type PageRequest } from "../../Runtime/Database/Page.ts"
import { rowOf, rowsOf, theRow } from "../../Runtime/Database/Query.ts"
import { storable, toStorableJson } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"

export const channelIdOf = (id: string): Effect.Effect<ChatChannelId, ChannelNotFound> =>
  isChatChannelId(id) ? Effect.succeed(id) : Effect.fail(new ChannelNotFound({ id }))

const ChannelRow = Schema.Struct(Channel.fields).pipe(Schema.omit("project_path"))
type ChannelRow = typeof ChannelRow.Type

/** A channel as the platform has it; `id` is for a new row. */
export interface PlatformChannel
  extends
    Pick<ChannelRow, "channel_id" | "id" | "is_active" | "is_member" | "is_private" | "name" | "purpose" | "topic">
{
  /** Null: unknown, so that the last known number stays. */
  readonly member_count: number | null
}

const Written = Schema.Struct({ created: Schema.Int, updated: Schema.Int, deactivated: Schema.Int })

/** Channels that a caller may not see do not exist for it. An unreachable database is a defect. */
export class Channels extends Context.Tag("troupe/People/Channel/Channels")<Channels, {
  /** Newest first. */
  readonly list: (page: PageRequest<ChannelRecordId>) => Effect.Effect<ReadonlyArray<Channel>>
  readonly find: (id: string) => Effect.Effect<Channel, ChannelNotFound>
  /** The project of the tasks that come from the channel; null unless our bot is or was in it. */
  readonly projectOf: (id: string) => Effect.Effect<string | null>
  /** Creates the folder of the channel's project, if it has one. A failure is logged: the agents work without it. */
  readonly openProject: (id: string) => Effect.Effect<void>
  /** The channel was archived or deleted on the platform. Returns whether it was active. */
  readonly deactivate: (id: string) => Effect.Effect<boolean>
  /** Our bot left the channel, which stays a project. */
  readonly leave: (id: string) => Effect.Effect<void>
  // The others check no rights, and are no endpoints: they are for the sync and for the prompt.
  readonly findProject: (projectId: string) => Effect.Effect<Option.Option<Channel>>
  /** Ids of the active channels that our bot is in. */
  readonly joined: Effect.Effect<ReadonlyArray<ChatChannelId>>
  /** Writes channels in one statement. One that our bot is in becomes a project, and stays one. */
  readonly write: (channels: ReadonlyArray<PlatformChannel>) => Effect.Effect<typeof Written.Type>
  /** The time of the database, for `deactivateUnlisted`. */
  readonly now: Effect.Effect<string>
  /** Deactivates the channels that were last written before that time. */
  readonly deactivateUnlisted: (since: string) => Effect.Effect<number>
}>() {
  static readonly layer = (
    options: { readonly projectsPath: string }
  ): Layer.Layer<Channels, never, SqlClient.SqlClient> =>
    Layer.effect(this, Effect.map(SqlClient.SqlClient, (sql) => make(sql, options.projectsPath)))
}

const columns = `id::text, channel_id, name, topic, purpose, is_private, is_active, is_member, project_id, summary,
  member_count, ${timestamp("last_synced_at", "last_synced_at")}`

const rows = rowsOf(ChannelRow)
const row = rowOf(ChannelRow)
const projectOfRow = rowOf(Schema.Struct({ project_id: Schema.NullOr(Schema.String) }))
const ids = rowsOf(Schema.Struct({ channel_id: ChatChannelId }))
const counts = rowsOf(Written)
const times = rowsOf(Schema.Struct({ now: Schema.String }))

function make(sql: SqlClient.SqlClient, projectsPath: string): Channels["Type"] {
  const channel = sql.literal(columns)
  const pathOf = (projectId: string) => join(projectsPath, projectId)
  const view = (found: ChannelRow): Channel => ({
    ...found,
    project_path: found.project_id === null ? null : pathOf(found.project_id)
  })
  const projectOf = (id: string) =>
    Effect.map(
      asService(projectOfRow(sql`select project_id from channels where channel_id = ${storable(id)}`)),
      (found) => Option.getOrNull(found)?.project_id ?? null
    )

  return Channels.of({
    list: ({ cursor, limit }) =>
      Effect.map(
        rows(sql`select ${channel} from channels where channels.id < ${idBefore(cursor)}::uuid
order by channels.id desc limit ${limit}`),
        (found) => found.map(view)
      ),
    find: (id) =>
      channelIdOf(id).pipe(
        Effect.flatMap((known) => row(sql`select ${channel} from channels where channel_id = ${known}`)),
        Effect.flatMap(Option.match({ onNone: () => new ChannelNotFound({ id }), onSome: Effect.succeed })),
        Effect.map(view)
      ),
    findProject: (id) =>
      Effect.map(row(sql`select ${channel} from channels where project_id = ${storable(id)}`), Option.map(view)),
    projectOf,
    openProject: Effect.fn("Channels.openProject")(function*(id: string) {
      const project = yield* projectOf(id)
      if (project === null) return
      yield* Effect.tryPromise(() => mkdir(pathOf(project), { recursive: true })).pipe(
        Effect.catchAll((error) =>
          Effect.logWarning(`Could not create the project folder ${pathOf(project)}; agents work without it`, error)
        )
      )
    }),
    joined: Effect.map(
      ids(sql`select channel_id from channels where is_active and is_member order by channel_id`),
      (found) => found.map(({ channel_id }) => channel_id)
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
        Effect.map((found) => found.length),
        Effect.orDie
      ),
    deactivate: (id) =>
      sql`update channels set is_active = false, is_member = false, last_synced_at = clock_timestamp()
where channel_id = ${storable(id)} and is_active returning 1`.pipe(
        Effect.map((found) => found.length > 0),
        Effect.orDie,
        asService
      ),
    leave: (id) =>
      sql`update channels set is_member = false where channel_id = ${storable(id)}`.pipe(
        Effect.asVoid,
        Effect.orDie,
        asService
      )
  })
}
