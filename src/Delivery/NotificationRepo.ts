import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { UserId } from "@troupe/domain/Ids"
import { type Notification, NotificationId } from "@troupe/domain/Notification"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { instant, timestamp } from "../Runtime/TimestampColumn.ts"
import { ListedNotification, notificationOf } from "./NotificationView.ts"

export interface NotificationFilter {
  readonly unread: boolean
  readonly limit: number
  readonly cursor: Option.Option<NotificationId>
}

/** A database that can't be reached is a defect here, because no caller can act on it. */
export class NotificationRepo extends Context.Tag("troupe/Delivery/NotificationRepo")<NotificationRepo, {
  readonly list: (userId: UserId, filter: NotificationFilter) => Effect.Effect<ReadonlyArray<Notification>>
  readonly markRead: (userId: UserId, id: NotificationId) => Effect.Effect<Option.Option<Notification>>
  readonly remove: (userId: UserId, id: NotificationId) => Effect.Effect<boolean>
  readonly removeAll: (userId: UserId) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<NotificationRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

/** Sorts after every notification. */
const lastId = NotificationId.make("ffffffff-ffff-ffff-ffff-ffffffffffff")

const joined = `select n.id::text, n.user_id, n.task_id::text, n.is_read, ${timestamp("n.read_at", "read_at")},
  n.kind, n.title, n.body, t.title as task_title, left(ltrim(t.description, E' \\t\\r\\n'), 200) as task_description,
  s.body as step, coalesce((
    select json_agg(json_build_object(
      'channel', o.channel, 'state', replace(o.state, 'sending', 'pending'), 'attempts', o.attempts,
      'last_error', o.last_error, 'sent_at', ${instant("o.sent_at")}) order by o.channel)::text
    from outbox o where o.id in (outbox_id(n.id, 'chat'), outbox_id(n.id, 'email'))
  ), '[]') as deliveries
from n
left join tasks t on t.id = n.task_id
left join steps s on s.task_id = n.task_id and s.seq = n.seq
order by n.id desc`

function makeRepo(sql: SqlClient.SqlClient): NotificationRepo["Type"] {
  const shown = sql.literal(joined)

  const Page = Schema.Struct({ userId: UserId, before: NotificationId, limit: Schema.Int })

  /** Read or unread rows: a range of the index in its order. */
  const range = (isRead: boolean, { before, limit, userId }: typeof Page.Encoded) =>
    sql`select * from notifications
where user_id = ${userId} and is_read = ${isRead} and id < ${before}::uuid order by id desc limit ${limit}`

  const listUnread = SqlSchema.findAll({
    Request: Page,
    Result: ListedNotification,
    execute: (page) => sql`with n as (${range(false, page)}) ${shown}`
  })

  const listAll = SqlSchema.findAll({
    Request: Page,
    Result: ListedNotification,
    execute: (page) =>
      sql`with n as (
  (${range(false, page)}) union all (${range(true, page)}) order by id desc limit ${page.limit}
) ${shown}`
  })

  const Key = Schema.Struct({ userId: UserId, id: NotificationId })

  /** `is_read` is unspecified, so that the row is found while another request marks it. */
  const byKey = ({ id, userId }: typeof Key.Encoded) =>
    sql`user_id = ${userId} and is_read = any('{false,true}') and id = ${id}::uuid`

  const markRead = SqlSchema.findOne({
    Request: Key,
    Result: ListedNotification,
    execute: (key) =>
      sql`with n as (
  update notifications set read_at = coalesce(read_at, now()) where ${byKey(key)} returning *
) ${shown}`
  })

  const remove = SqlSchema.findOne({
    Request: Key,
    Result: Schema.Struct({ id: NotificationId }),
    execute: (key) => sql`delete from notifications where ${byKey(key)} returning id::text`
  })

  return NotificationRepo.of({
    list: (userId, { cursor, limit, unread }) =>
      (unread ? listUnread : listAll)({ userId, before: Option.getOrElse(cursor, () => lastId), limit }).pipe(
        Effect.map((rows) => rows.map(notificationOf)),
        Effect.orDie
      ),
    markRead: (userId, id) => Effect.orDie(Effect.map(markRead({ userId, id }), Option.map(notificationOf))),
    remove: (userId, id) => Effect.orDie(Effect.map(remove({ userId, id }), Option.isSome)),
    removeAll: (userId) => Effect.orDie(Effect.asVoid(sql`delete from notifications where user_id = ${userId}`))
  })
}
