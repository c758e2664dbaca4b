import { withCreatorName } from "@troupe/domain/CreatorName"
import { TaskId, UserId } from "@troupe/domain/Ids"
import {
  causedAt,
  type Notification,
  type NotificationContent,
  NotificationId,
  notificationIndexOf,
  NotificationKind,
  notificationsOf
} from "@troupe/domain/Notification"
import { Delivery } from "@troupe/domain/Outbox"
import { Step } from "@troupe/domain/Step"
import { cutLabel } from "@troupe/domain/TaskEnd"
import { headOf, shortened, titleOf } from "@troupe/domain/Text"
import { Schema } from "effect"

/** As much of a text as its title needs (`titleOf`). */
export const beginningColumn = (column: string): string => `left(ltrim(${column}, E' \\t\\r\\n'), 200)`

const text = Schema.NullOr(Schema.String)

export const NotificationRow = Schema.Struct({
  id: NotificationId,
  user_id: UserId,
  task_id: Schema.NullOr(TaskId),
  kind: Schema.NullOr(NotificationKind),
  title: text,
  body: text,
  task_title: text,
  task_description: text,
  task_creator: Schema.NullOr(UserId),
  creator_name: text,
  step: Schema.NullOr(Schema.parseJson(Step))
})

/** The columns of a `NotificationRow`, of the tables in `notificationTables`. */
export const notificationColumns = `n.id::text, n.user_id, n.task_id::text, n.kind, n.title, n.body,
  t.title as task_title, ${beginningColumn("t.description")} as task_description, t.creator as task_creator,
  (select coalesce(u.display_name, u.name) from users u where u.id = t.creator) as creator_name, s.body as step`

export const notificationTables = `n left join tasks t on t.id = n.task_id
left join steps s on s.task_id = n.task_id and s.seq = n.seq`

export const ListedNotification = Schema.Struct({
  ...NotificationRow.fields,
  read_at: text,
  deliveries: Schema.parseJson(Schema.Array(Delivery))
})
export type NotificationRow = typeof NotificationRow.Type

const maxFiles = 10

const attachedOf = (files: ReadonlyArray<string>): string => {
  if (files.length === 0) return ""
  const more = files.length - maxFiles
  const named = files.slice(0, maxFiles).map((file) => headOf(file, 100)).join(", ")
  return `\n\nAttached: ${named}${more > 0 ? ` and ${more} more` : ""}`
}

const maxBody = 4_000

export const notificationOf = (row: typeof ListedNotification.Type): Notification => {
  const { body, end = null, files = [], kind } = contentOf(row)
  const label = cutLabel(end)
  const attached = attachedOf(files)
  return {
    id: row.id,
    user_id: row.user_id,
    task_id: row.task_id,
    kind,
    title: label === null ? titleIn(row) : `${label}: ${titleIn(row)}`,
    body: shortened(body, maxBody - attached.length) + attached,
    ended_by: end?.by ?? null,
    read: row.read_at !== null,
    created_at: causedAt(row.id),
    read_at: row.read_at,
    deliveries: row.deliveries
  }
}

/** The whole content, for a channel that has room for it. */
export const deliveredContentOf = (row: NotificationRow) => ({ ...contentOf(row), title: titleIn(row) })

const titleIn = (row: NotificationRow): string =>
  row.title ?? titleOf({ title: row.task_title, description: row.task_description ?? "" })

const contentOf = (row: NotificationRow): NotificationContent => {
  const notification = row.step === null ? undefined : notificationsOf(row.step)[notificationIndexOf(row.id)]
  if (notification === undefined) return { kind: row.kind ?? "reminder", body: row.body ?? "" }
  return notification.kind !== "question" || row.task_creator === null
    ? notification
    : { ...notification, body: withCreatorName(notification.body, row.task_creator, row.creator_name) }
}
