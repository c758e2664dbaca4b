import { TaskId, UserId } from "@troupe/domain/Ids"
import {
  causedAt,
  type Notice,
  noticesOf,
  type Notification,
  NotificationId,
  NotificationKind,
  placeOf
} from "@troupe/domain/Notification"
import { Step } from "@troupe/domain/Step"
import { titleOf } from "@troupe/domain/TaskTitle"
import { headOf } from "@troupe/domain/ToolResult"
import { Schema } from "effect"

const text = Schema.NullOr(Schema.String)

/** A notification with the task and the step that caused it, or with words of its own. */
export const NotificationRow = Schema.Struct({
  id: NotificationId,
  user_id: UserId,
  task_id: Schema.NullOr(TaskId),
  is_read: Schema.Boolean,
  read_at: text,
  kind: Schema.NullOr(NotificationKind),
  title: text,
  body: text,
  task_title: text,
  task_description: text,
  step: Schema.NullOr(Schema.parseJson(Step))
})
export type NotificationRow = typeof NotificationRow.Type

/** A feed shows the beginning of a long result; the task has all of it. */
const maxBody = 4_000

/** The notification as the API shows it. */
export const notificationOf = (row: NotificationRow): Notification => {
  const { body, kind } = noticeOf(row)
  return {
    id: row.id,
    user_id: row.user_id,
    task_id: row.task_id,
    kind,
    title: row.title ?? titleOf({ title: row.task_title, description: row.task_description ?? "" }),
    body: body.length > maxBody ? `${headOf(body, maxBody - 1)}…` : body,
    read: row.is_read,
    created_at: causedAt(row.id),
    read_at: row.read_at
  }
}

const noticeOf = (row: NotificationRow): Notice => {
  const notice = row.step === null ? undefined : noticesOf(row.step)[placeOf(row.id)]
  return notice ?? { kind: row.kind ?? "reminder", body: row.body ?? "" }
}
