import * as SqlClient from "@effect/sql/SqlClient"
import { ChatChannelId } from "@troupe/domain/Channel"
import type { UserId } from "@troupe/domain/Ids"
import { headOf } from "@troupe/domain/Text"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowOf, rowsOf } from "../../Runtime/Database/Query.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"

export const maxKept = 200

const maxLength = 2_000

const PendingMessage = Schema.Struct({
  ts: Schema.String,
  sender: Schema.String,
  said_at: Schema.String,
  content: Schema.String,
  /** Of a person of the team, not of a guest or a program. */
  is_of_team: Schema.Boolean
})
export type PendingMessage = typeof PendingMessage.Type

/** A message as models read it. */
export const messageLine = ({ content, said_at, sender }: PendingMessage): string =>
  `[${said_at}] ${sender}: ${content}`

/** In the order in which they were said. */
interface ChannelPart {
  readonly channel: ChatChannelId
  readonly count: number
}

const Summarised = Schema.Struct({
  name: Schema.String,
  summary: Schema.NullOr(Schema.String),
  /** The summary has words of somebody who is not of the team. */
  is_summary_outside: Schema.Boolean
})

/** Messages that start no task: context for agents, until a summary has them. An unreachable database is a defect. */
export class ChannelMessages extends Context.Tag("troupe/People/Channel/ChannelMessages")<ChannelMessages, {
  /**
   * Stores the beginning of a message once, in the caller's transaction; nothing of an unknown channel or of blanks. The
   * channel keeps the `maxKept` newest.
   */
  readonly keep: (message: {
    readonly channel: string
    readonly id: string
    /** In seconds since 1970. */
    readonly at: number
    readonly userId: UserId | null
    /** Plain, without the platform's mark-up. */
    readonly text: string
  }) => Effect.Effect<void>
  readonly change: (channel: string, id: string, text: string) => Effect.Effect<void>
  readonly remove: (channel: string, id: string) => Effect.Effect<void>
  // The others check no rights, and are no endpoints: they are for jobs and for the prompt.
  readonly newest: (part: ChannelPart) => Effect.Effect<ReadonlyArray<PendingMessage>>
  /** All but the `count` newest. */
  readonly oldest: (part: ChannelPart) => Effect.Effect<ReadonlyArray<PendingMessage>>
  /** Channels with more than this many messages, those with the most first. */
  readonly crowded: (more: number, limit: number) => Effect.Effect<ReadonlyArray<ChatChannelId>>
  readonly summary: (channel: ChatChannelId) => Effect.Effect<Option.Option<typeof Summarised.Type>>
  /** Writes the summary and deletes what it contains, unless another process has written one meanwhile. */
  readonly summarise: (
    channel: ChatChannelId,
    summary: { readonly text: string; readonly earlier: string | null; readonly isOutside: boolean },
    contained: ReadonlyArray<string>
  ) => Effect.Effect<void>
  readonly removeOlder: (days: number) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<ChannelMessages, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, make)
  )
}

const contentOf = (text: string): string => storable(headOf(text.trim(), maxLength))

const columns = `m.ts, coalesce(u.display_name, u.name, m.user_id, 'somebody') as sender, m.content,
  coalesce(not u.is_guest or 'email' = any(u.overrides), false) as is_of_team, ${timestamp("m.said_at", "said_at")}`

const pendingMessages = rowsOf(PendingMessage)
const summaryOf = rowOf(Summarised)
const ids = rowsOf(Schema.Struct({ channel_id: ChatChannelId }))

function make(sql: SqlClient.SqlClient): ChannelMessages["Type"] {
  const message = sql.literal(columns)

  const ordered = (part: "limit" | "offset") => ({ channel, count }: ChannelPart) =>
    pendingMessages(sql`select * from (
  select ${message} from channel_messages m left join users u on u.id = m.user_id
  where m.channel_id = ${channel} order by m.ts desc ${sql.literal(part)} ${count}
) part order by ts`)

  const done = (work: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(work))

  return ChannelMessages.of({
    keep: ({ at, channel, id, text, userId }) =>
      text.trim() === "" ? Effect.void : asService(done(
        sql`insert into channel_messages (channel_id, ts, user_id, content, said_at)
select channel_id, ${storable(id)}, ${userId}, ${contentOf(text)}, to_timestamp(${at}::float8)
from channels where channel_id = ${storable(channel)} on conflict do nothing`.pipe(
          Effect.zipRight(
            sql`delete from channel_messages where channel_id = ${storable(channel)} and ts <= (
  select ts from channel_messages where channel_id = ${storable(channel)} order by ts desc offset ${maxKept} limit 1)`
          )
        )
      )),
    change: (channel, id, text) =>
      asService(done(
        sql`update channel_messages set content = ${contentOf(text)}
where channel_id = ${storable(channel)} and ts = ${storable(id)}`
      )),
    remove: (channel, id) =>
      asService(done(
        sql`delete from channel_messages where channel_id = ${storable(channel)} and ts = ${storable(id)}`
      )),
    newest: ordered("limit"),
    oldest: ordered("offset"),
    crowded: (more, limit) =>
      Effect.map(
        ids(sql`select channel_id from channel_messages group by channel_id having count(*) > ${more}
order by count(*) desc, channel_id limit ${limit}`),
        (rows) => rows.map(({ channel_id }) => channel_id)
      ),
    summary: (id) => summaryOf(sql`select name, summary, is_summary_outside from channels where channel_id = ${id}`),
    summarise: (channel, { earlier, isOutside, text }, contained) =>
      done(sql`with written as (
  update channels set summary = ${storable(text)}, is_summary_outside = is_summary_outside or ${isOutside}::boolean
  where channel_id = ${channel} and summary is not distinct from ${earlier}::text returning channel_id
)
delete from channel_messages m using written
where m.channel_id = written.channel_id and m.ts = any(${contained}::text[])`),
    removeOlder: (days) =>
      done(sql`delete from channel_messages where said_at < now() - make_interval(days => ${days})`)
  })
}
