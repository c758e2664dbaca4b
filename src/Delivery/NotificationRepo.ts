import type { UserId } from "@troupe/domain/Ids"
import type { Notification, NotificationId } from "@troupe/domain/Notification"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"
import { notificationOf, NotificationRow } from "./NotificationView.ts"

export interface NotificationFilter {
  readonly unread: boolean
  readonly limit: number
  /** The id of the last notification of the page before. */
  readonly cursor: Option.Option<NotificationId>
}

/** Rows of notifications. A database that cannot be reached is a defect here: no caller can do anything about it. */
export class NotificationRepo extends Context.Tag("troupe/Delivery/NotificationRepo")<NotificationRepo, {
  /** Newest first. */
  readonly list: (userId: UserId, filter: NotificationFilter) => Effect.Effect<ReadonlyArray<Notification>>
  readonly markRead: (userId: UserId, id: NotificationId) => Effect.Effect<Option.Option<Notification>>
  /** False when there is none to remove. */
  readonly remove: (userId: UserId, id: NotificationId) => Effect.Effect<boolean>
}>() {
  static readonly layer: Layer.Layer<NotificationRepo, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, (database) => {
      const read = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        database.execute(statement, values).pipe(
          Effect.flatMap(decode),
          Effect.map((rows) => rows.map(notificationOf)),
          Effect.orDie
        )
      return NotificationRepo.of({
        list: (userId, { cursor, limit, unread }) =>
          read(unread ? listUnread : listAll, [userId, Option.getOrElse(cursor, () => beyondAll), limit]),
        markRead: (userId, id) =>
          Effect.map(read(markRead, [userId, id]), ([notification]) => Option.fromNullable(notification)),
        remove: (userId, id) =>
          Effect.orDie(Effect.map(database.execute(remove, [userId, id]), (rows) => rows.length > 0))
      })
    })
  )
}

const decode = Schema.decodeUnknown(Schema.Array(NotificationRow))

const beyondAll = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** The rows `n` with all that they say. A title needs no more of the request than its first words. */
const told = `select n.id::text, n.user_id, n.task_id::text, n.is_read, ${timestamp("n.read_at", "read_at")},
  n.kind, n.title, n.body, t.title as task_title, left(ltrim(t.description, E' \\t\\r\\n'), 200) as task_description,
  s.body as step
from n
left join tasks t on t.id = n.task_id
left join steps s on s.task_id = n.task_id and s.seq = n.seq
order by n.id desc`

/** The read ones or the unread ones, each a stretch of the index that is in order already. */
const some = (isRead: "is_read" | "not is_read"): string =>
  `select * from notifications where user_id = $1 and ${isRead} and id < $2::uuid order by id desc limit $3::integer`

const listUnread: Prepared = { name: "notifications_list_unread", text: `with n as (${some("not is_read")}) ${told}` }

const listAll: Prepared = {
  name: "notifications_list",
  text: `with n as (
  (${some("not is_read")}) union all (${some("is_read")}) order by id desc limit $3::integer
) ${told}`
}

/** One row, read or not, still found when somebody marks it at the same moment. */
const one = "user_id = $1 and is_read = any('{false,true}') and id = $2::uuid"

const markRead: Prepared = {
  name: "notifications_mark_read",
  text: `with n as (
  update notifications set read_at = coalesce(read_at, now()) where ${one} returning *
) ${told}`
}

const remove: Prepared = {
  name: "notifications_remove",
  text: `delete from notifications where ${one} returning id`
}
