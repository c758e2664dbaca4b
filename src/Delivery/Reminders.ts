import { SqlClient } from "@effect/sql/SqlClient"
import type { ScheduleId } from "@troupe/domain/Ids"
import { OutboxId } from "@troupe/domain/Outbox"
import { chatPostText, type ChatReply, chatReplyText, isDirectMessage } from "@troupe/domain/TeamChat"
import type { User } from "@troupe/domain/User"
import { Context, DateTime, Effect, Layer } from "effect"
import { v7 } from "uuid"
import { mrkdwnOfLines } from "../Chat/Slack/Mrkdwn.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { recurringBlocks } from "./ChatBlocks.ts"
import { Outbox, sendNotifications } from "./Outbox.ts"

export interface Reminder {
  readonly user: Pick<User, "id" | "chat_user_id" | "notify_by">
  readonly title: string
  readonly body: string
  /**
   * The channel or thread where it is posted, or the platform's id of the user for their direct message; null: where the
   * user is notified.
   */
  readonly postedTo: Pick<ChatReply, "channel" | "thread_ts"> | null
  /** The schedule that repeats it; null: it comes once. */
  readonly repeatedBy: ScheduleId | null
  /** The label on the chat platform; default: `Reminder`. */
  readonly label?: string
}

/** Notifications that no task causes. */
export class Reminders extends Context.Tag("troupe/Delivery/Reminders")<Reminders, {
  /** Puts the reminder in the user's feed and in the outbox. Joins the transaction of the caller. */
  readonly send: (reminder: Reminder) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Reminders, never, Outbox | SqlClient> = Layer.effect(
    this,
    Effect.zipWith(SqlClient, Outbox, (sql, { enqueue }) =>
      Reminders.of({
        send: Effect.fn("Reminders.send")(function*(reminder) {
          const { body, title, user } = reminder
          const { epochMillis } = yield* DateTime.now
          const id = v7({ msecs: epochMillis })
          const recipient = chatRecipientOf(reminder)
          if (recipient !== null) {
            yield* enqueue([{
              // It takes the place of the notification's own message on the chat platform, which has no button.
              id: OutboxId.make(`${id.slice(0, 19)}9${id.slice(20)}`),
              channel: "chat",
              recipient,
              kind: "reminder",
              user_id: user.id,
              task_id: null,
              payload: chatPostText(postOf(reminder))
            }])
          }
          yield* sql`with added as (
  insert into notifications (id, user_id, kind, title, body)
  values (${id}::uuid, ${user.id}, 'reminder', ${storable(title)}, ${storable(body)})
  returning id, user_id, task_id
)
${sql.literal(sendNotifications("added"))}`.pipe(Effect.orDie)
        })
      }))
  )
}

const isDirect = ({ postedTo, user }: Reminder): boolean =>
  postedTo !== null && (isDirectMessage(postedTo.channel) || postedTo.channel === user.chat_user_id)

const chatRecipientOf = ({ postedTo, user }: Reminder): string | null =>
  postedTo !== null && postedTo.channel !== user.chat_user_id
    ? chatReplyText({ ...postedTo, user: user.chat_user_id })
    : postedTo !== null || user.notify_by.includes("chat")
    ? user.chat_user_id
    : null

const postOf = (reminder: Reminder) => {
  const { body, label = "Reminder", postedTo, repeatedBy, user: { chat_user_id: user } } = reminder
  const isAmongOthers = postedTo !== null && !isDirect(reminder)
  const text = `${isAmongOthers && user !== null ? `<@${user}> ` : ""}${label}: ${mrkdwnOfLines(body)}`
  return repeatedBy === null ? { text } : { text, blocks: recurringBlocks(text, { id: repeatedBy, kind: "reminder" }) }
}
