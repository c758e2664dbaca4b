import type { SqlError } from "@effect/sql/SqlError"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { NotificationId } from "@troupe/domain/Notification"
import { DeliveryChannel, OutboxId } from "@troupe/domain/Outbox"
import { Effect, Option, Schema } from "effect"
import { makeQueue, type QueueClaim } from "../Queue/Queue.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { deliveredContentOf, notificationColumns, NotificationRow, notificationTables } from "./NotificationView.ts"
import { outboxTable } from "./Outbox.ts"
import type { OutboxMessage } from "./OutboxChannel.ts"

/** The columns of a claim (`outboxTable`). */
const Columns = Schema.Struct({
  id: OutboxId,
  channel: DeliveryChannel,
  recipient: Schema.String,
  kind: Schema.String,
  userId: Schema.NullOr(UserId),
  taskId: Schema.NullOr(TaskId),
  notificationId: Schema.NullOr(NotificationId),
  payload: Schema.NullOr(Schema.String),
  progress: Schema.NullOr(Schema.String)
})
export type OutboxClaim = QueueClaim & typeof Columns.Type

/** The outbox as a queue, with the content of its messages. */
export const makeOutboxRepo = Effect.gen(function*() {
  const { execute } = yield* PreparedStatements
  const queue = yield* makeQueue(outboxTable, Columns)

  const notificationOf = ({ notificationId, userId }: OutboxClaim) =>
    execute(readNotification, [userId, notificationId]).pipe(
      Effect.flatMap((rows) => Effect.orDie(decodeNotifications(rows))),
      Effect.map(([row]) =>
        row === undefined ? null : { ...deliveredContentOf(row), filesOf: row.task_creator ?? row.user_id }
      )
    )

  return {
    queue,
    /** None: the notification was removed. */
    messageOf: Effect.fnUntraced(
      function*(claim: OutboxClaim): Effect.fn.Return<Option.Option<OutboxMessage>, SqlError> {
        const { epoch, payload, ...message } = claim
        const isRepeated = epoch > 1
        if (payload !== null) return Option.some({ ...message, isRepeated, content: { _tag: "Payload", payload } })
        const notification = yield* notificationOf(claim)
        return notification === null
          ? Option.none()
          : Option.some({ ...message, isRepeated, content: { _tag: "Notification", notification } })
      }
    ),
    /** False: another claim has the message. */
    keep: ({ epoch, id }: OutboxClaim, progress: string | null) =>
      Effect.map(execute(saveProgress, [id, epoch, progress]), ({ length }) => length > 0)
  }
})

const decodeNotifications = Schema.decodeUnknown(
  Schema.Array(Schema.Struct({ ...NotificationRow.fields, task_creator: Schema.NullOr(UserId) }))
)

const readNotification: Prepared = {
  name: "outbox_notification",
  text: `with n as (select * from notifications where user_id = $1::text and id = $2::uuid)
select ${notificationColumns}, t.creator as task_creator from ${notificationTables}`
}

const saveProgress: Prepared = {
  name: "outbox_keep",
  text: `update outbox set progress = $3::text
where id = $1::uuid and epoch = $2::integer and state = 'sending' returning 1`
}
