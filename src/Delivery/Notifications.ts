import * as SqlClient from "@effect/sql/SqlClient"
import { deliveryWays, notifyWays } from "@troupe/domain/DeliveryWay"
import type { UserId } from "@troupe/domain/Ids"
import { type Notification, type NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import type { UserNotFound } from "@troupe/domain/User"
import { Array, Context, Effect, Layer } from "effect"
import { Users } from "../People/User/Users.ts"
import { idBefore, type PageRequest } from "../Runtime/Database/Page.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { instant, timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { ListedNotification, notificationColumns, notificationOf, notificationTables } from "./NotificationView.ts"
import { messageId, sentAt } from "./Outbox.ts"

export interface NotificationFilter extends PageRequest<NotificationId> {
  readonly unread: boolean
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
  /** Undoes it. */
  readonly markUnread: (userId: UserId, id: NotificationId) => Effect.Effect<Notification, NotificationNotFound>
  readonly remove: (userId: UserId, id: NotificationId) => Effect.Effect<void, NotificationNotFound>
  readonly removeAll: (userId: UserId) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Notifications, never, SqlClient.SqlClient | Users> = Layer.effect(
    this,
    Effect.zipWith(SqlClient.SqlClient, Users, makeNotifications)
  )
}

const notifications = rowsOf(ListedNotification)

const joined = `select ${notificationColumns}, ${timestamp("n.read_at", "read_at")}, coalesce((
    select json_agg(json_build_object(
      'channel', o.channel, 'state', replace(o.state, 'sending', 'pending'), 'attempts', o.attempts,
      'last_error', o.last_error, 'sent_at', ${instant(sentAt("o"))}) order by o.channel)::text
    from outbox o where o.id in (${
  notifyWays.map((way) => messageId("n.id", `'${deliveryWays[way].mark}'`)).join(", ")
})
  ), '[]') as deliveries
from ${notificationTables}
order by n.id desc`

function makeNotifications(sql: SqlClient.SqlClient, users: Users["Type"]): Notifications["Type"] {
  const shown = sql.literal(joined)

  const byKey = (userId: UserId, id: NotificationId) => sql`user_id = ${userId} and id = ${id}::uuid`

  const mark = (readAt: string): Notifications["Type"]["markRead"] => (userId, id) =>
    Effect.flatMap(
      notifications(sql`with n as (
  update notifications set read_at = ${sql.literal(readAt)} where ${byKey(userId, id)} returning *
) ${shown}`),
      ([marked]) =>
        marked === undefined
          ? new NotificationNotFound({ user_id: userId, id })
          : Effect.succeed(notificationOf(marked))
    )

  return Notifications.of({
    list: (userId, { cursor, limit, unread }) =>
      notifications(sql`with n as (
  select * from notifications
  where user_id = ${userId} and id < ${idBefore(cursor)}::uuid ${sql.literal(unread ? "and read_at is null" : "")}
  order by id desc limit ${limit}
) ${shown}`).pipe(
        Effect.map(Array.map(notificationOf)),
        // The list is polled, so the user is looked up only when it is empty.
        Effect.tap(({ length }) => length === 0 ? users.check(userId) : Effect.void)
      ),
    markRead: mark("coalesce(read_at, now())"),
    markUnread: mark("null"),
    remove: (userId, id) =>
      Effect.flatMap(
        Effect.orDie(sql`delete from notifications where ${byKey(userId, id)} returning 1`),
        ({ length }) => length === 0 ? new NotificationNotFound({ user_id: userId, id }) : Effect.void
      ),
    removeAll: (userId) => Effect.orDie(Effect.asVoid(sql`delete from notifications where user_id = ${userId}`))
  })
}
