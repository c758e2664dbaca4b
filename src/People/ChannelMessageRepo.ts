import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { ChatChannelId } from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { storable } from "../Runtime/StorableText.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"

export const PendingMessage = Schema.Struct({
  ts: Schema.String,
  author: Schema.String,
  said_at: Schema.String,
  content: Schema.String
})
export type PendingMessage = typeof PendingMessage.Type

const Summarised = Schema.Struct({ name: Schema.String, summary: Schema.NullOr(Schema.String) })

/** Messages of channels that are in no summary yet. An unreachable database is a defect. */
export class ChannelMessageRepo extends Context.Tag("troupe/People/ChannelMessageRepo")<ChannelMessageRepo, {
  /** Once for each channel and `ts`; the channel keeps the `max` newest. Does nothing for an unknown channel. */
  readonly insert: (
    message: {
      readonly channel: ChatChannelId
      readonly ts: string
      readonly threadTs: string | null
      readonly userId: UserId | null
      readonly content: string
    },
    max: number
  ) => Effect.Effect<void>
  readonly change: (channel: ChatChannelId, ts: string, content: string) => Effect.Effect<void>
  readonly remove: (channel: ChatChannelId, ts: string) => Effect.Effect<void>
  readonly newest: (channel: ChatChannelId, limit: number) => Effect.Effect<ReadonlyArray<PendingMessage>>
  /** The oldest ones without the `kept` newest, oldest first. */
  readonly oldest: (channel: ChatChannelId, kept: number) => Effect.Effect<ReadonlyArray<PendingMessage>>
  /** Channels with more than this many messages, those with the most first. */
  readonly crowded: (
    more: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ChatChannelId>>
  readonly summary: (channel: ChatChannelId) => Effect.Effect<Option.Option<typeof Summarised.Type>>
  /** Writes the summary and deletes what it contains, unless another process has written one meanwhile. */
  readonly summarise: (
    channel: ChatChannelId,
    summary: { readonly text: string; readonly earlier: string | null },
    contained: ReadonlyArray<string>
  ) => Effect.Effect<void>
  readonly removeOlder: (days: number) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChannelMessageRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

const columns = `m.ts, coalesce(u.display_name, u.name, m.user_id, 'somebody') as author, m.content,
  ${timestamp("m.said_at", "said_at")}`

const Limited = Schema.Struct({ channel: ChatChannelId, count: Schema.Int })

function makeRepo(sql: SqlClient.SqlClient): ChannelMessageRepo["Type"] {
  const message = sql.literal(columns)

  const newest = SqlSchema.findAll({
    Request: Limited,
    Result: PendingMessage,
    execute: ({ channel, count }) =>
      sql`select * from (
  select ${message} from channel_messages m left join users u on u.id = m.user_id
  where m.channel_id = ${channel} order by m.ts desc limit ${count}
) newest order by ts`
  })

  const oldest = SqlSchema.findAll({
    Request: Limited,
    Result: PendingMessage,
    execute: ({ channel, count }) =>
      sql`select * from (
  select ${message} from channel_messages m left join users u on u.id = m.user_id
  where m.channel_id = ${channel} order by m.ts desc offset ${count}
) oldest order by ts`
  })

  const crowded = SqlSchema.findAll({
    Request: Schema.Struct({ more: Schema.Int, limit: Schema.Int }),
    Result: Schema.Struct({ channel_id: ChatChannelId }),
    execute: ({ limit, more }) =>
      sql`select channel_id from channel_messages group by channel_id having count(*) > ${more}
order by count(*) desc, channel_id limit ${limit}`
  })

  const summary = SqlSchema.findOne({
    Request: ChatChannelId,
    Result: Summarised,
    execute: (id) => sql`select name, summary from channels where channel_id = ${id}`
  })

  const done = (work: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(work))

  return ChannelMessageRepo.of({
    insert: ({ channel, content, threadTs, ts, userId }, max) =>
      sql`insert into channel_messages (channel_id, ts, thread_ts, user_id, content, said_at)
select channel_id, ${ts}, ${threadTs}, ${userId}, ${storable(content)}, to_timestamp(${Number(ts)}::float8)
from channels where channel_id = ${channel} on conflict do nothing`.pipe(
        Effect.zipRight(
          sql`delete from channel_messages where channel_id = ${channel} and ts <= (
  select ts from channel_messages where channel_id = ${channel} order by ts desc offset ${max} limit 1)`
        ),
        done
      ),
    change: (channel, ts, content) =>
      done(
        sql`update channel_messages set content = ${storable(content)} where channel_id = ${channel} and ts = ${ts}`
      ),
    remove: (channel, ts) => done(sql`delete from channel_messages where channel_id = ${channel} and ts = ${ts}`),
    newest: (channel, count) => Effect.orDie(newest({ channel, count })),
    oldest: (channel, count) => Effect.orDie(oldest({ channel, count })),
    crowded: (more, limit) =>
      Effect.map(Effect.orDie(crowded({ more, limit })), (rows) => rows.map(({ channel_id }) => channel_id)),
    summary: (id) => Effect.orDie(summary(id)),
    summarise: (channel, { earlier, text }, contained) =>
      done(sql`with written as (
  update channels set summary = ${storable(text)}, summarized_at = now()
  where channel_id = ${channel} and summary is not distinct from ${earlier}::text returning channel_id
)
delete from channel_messages m using written
where m.channel_id = written.channel_id and m.ts = any(${contained}::text[])`),
    removeOlder: (days) =>
      done(sql`delete from channel_messages where said_at < now() - make_interval(days => ${days})`)
  })
}
