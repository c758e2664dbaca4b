import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { UserId } from "@troupe/domain/Ids"
import { type Notification, NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import type { UserNotFound } from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Users } from "../People/Users.ts"
import { instant, timestamp } from "../Runtime/TimestampColumn.ts"
import { ListedNotification, notificationOf } from "./NotificationView.ts"

export interface NotificationFilter {
  readonly unread: boolean
  readonly limit: number
  readonly cursor: Option.Option<NotificationId>
}

/**
 * The notifications of each user. A row is written by the statement that journals its step, so each appears once. A
 * database that can't be reached is a defect here, because no caller can act on it.
 */
export class Notifications extends Context.Tag("troupe/Delivery/Notifications")<Notifications, {
  readonly list: (
    userId: UserId,
    filter: NotificationFilter
  ) => Effect.Effect<ReadonlyArray<Notification>, UserNotFound>
  readonly markRead: (userId: UserId, id: NotificationId) => Effect.Effect<Notification, NotificationNotFound>
  readonly remove: (userId: UserId, id: NotificationId) => Effect.Effect<void, NotificationNotFound>
  readonly removeAll: (userId: UserId) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Notifications, never, SqlClient.SqlClient | Users> = Layer.effect(
    this,
    Effect.zipWith(SqlClient.SqlClient, Users, makeNotifications)
  )
}

/** Sorts after every other. */
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

function makeNotifications(sql: SqlClient.SqlClient, users: Users["Type"]): Notifications["Type"] {
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

  const orNotFound = <A, E>({ id, userId }: typeof Key.Type, found: Effect.Effect<Option.Option<A>, E>) =>
    Effect.flatMap(
      Effect.orDie(found),
      Option.match({ onNone: () => new NotificationNotFound({ user_id: userId, id }), onSome: Effect.succeed })
    )

  return Notifications.of({
    list: (userId, { cursor, limit, unread }) =>
      (unread ? listUnread : listAll)({ userId, before: Option.getOrElse(cursor, () => lastId), limit }).pipe(
        Effect.map((rows) => rows.map(notificationOf)),
        Effect.orDie,
        // The list is polled, so the user is looked up only when it is empty.
        Effect.tap(({ length }) => length === 0 ? users.check(userId) : Effect.void)
      ),
    markRead: (userId, id) => Effect.map(orNotFound({ userId, id }, markRead({ userId, id })), notificationOf),
    remove: (userId, id) => Effect.asVoid(orNotFound({ userId, id }, remove({ userId, id }))),
    removeAll: (userId) => Effect.orDie(Effect.asVoid(sql`delete from notifications where user_id = ${userId}`))
  })
}
