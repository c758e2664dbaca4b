import type { SqlError } from "@effect/sql/SqlError"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option, Schema } from "effect"
import { makeQueue } from "../Queue/Queue.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { deliveredContentOf, notificationColumns, NotificationRow, notificationTables } from "./NotificationView.ts"
import { OutboxRow, outboxTable } from "./Outbox.ts"
import type { ClaimedMessage, OutboxClaim } from "./OutboxChannel.ts"

/** The outbox as a queue, with the content of its messages. */
export const makeOutboxRepo = Effect.gen(function*() {
  const { execute } = yield* PreparedStatements
  const queue = yield* makeQueue(outboxTable, OutboxRow)

  const notificationOf = ({ notification_id, user_id }: OutboxClaim) =>
    execute(readNotification, [user_id, notification_id]).pipe(
      Effect.flatMap((rows) => Effect.orDie(decodeNotifications(rows))),
      Effect.map(([row]) =>
        row === undefined ? null : { ...deliveredContentOf(row), filesOf: row.task_creator ?? row.user_id }
      )
    )

  return {
    queue,
    /** None: the notification was removed. */
    messageOf: Effect.fnUntraced(
      function*(claim: OutboxClaim): Effect.fn.Return<Option.Option<ClaimedMessage>, SqlError> {
        const { payload } = claim
        if (payload !== null) return Option.some({ ...claim, content: { _tag: "Payload", payload } })
        const notification = yield* notificationOf(claim)
        return notification === null
          ? Option.none()
          : Option.some({ ...claim, content: { _tag: "Notification", notification } })
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
