import { SqlClient } from "@effect/sql/SqlClient"
import { deliveryWays, notifyAddresses } from "@troupe/domain/DeliveryWay"
import type { ScheduleId, TaskId } from "@troupe/domain/Ids"
import { OutboxId } from "@troupe/domain/Outbox"
import type { Schedule } from "@troupe/domain/Schedule"
import { chatPostText, chatReplyText, makeTaskAction, stopRemindersAction } from "@troupe/domain/TeamChat"
import { User } from "@troupe/domain/User"
import { Context, DateTime, Effect, Layer } from "effect"
import { v7 } from "uuid"
import { type Button, type ChatMessage, link, mention, typedLines } from "../Chat/ChatMessage.ts"
import { ChatPlatform } from "../Chat/ChatPlatform.ts"
import { addressOf } from "../People/User/Addresses.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { taskAddress } from "../Runtime/PublicAddress.ts"
import { type Contacts, messagesTo } from "./Audience.ts"
import { newOutboxId, Outbox, outboxSignal, sendNotifications } from "./Outbox.ts"

/** Whom a reminder reaches, and where. */
export const ReminderUser = User.pick("id", "notify_by", ...notifyAddresses.map(([, field]) => field))

/** In SQL: the columns of a `ReminderUser`, of the row `user` of users. */
export const reminderUserColumns = (user: string): string =>
  [
    `${user}.id`,
    `${user}.notify_by`,
    ...notifyAddresses.map(([, field]) => `${addressOf(user, field)} as "${field}"`)
  ].join(", ")

export interface Reminder {
  readonly user: typeof ReminderUser.Type
  readonly title: string
  readonly body: string
  /**
   * The key of the conversation or thread where it is posted, or the platform's id of the user for their direct message;
   * null: where the user is notified.
   */
  readonly postedTo: string | null
  /** The schedule that repeats it; null: it comes once. */
  readonly repeatedBy: ScheduleId | null
  /** The task that it is about: mail and chat link to it. */
  readonly taskId?: TaskId
  /** The label on the chat platform; default: `Reminder`. */
  readonly label?: string
}

/** Where people open the console, for links in the chat; null: nowhere that is known. */
export class ConsoleAddress extends Context.Reference<ConsoleAddress>()("troupe/Delivery/Reminders/ConsoleAddress", {
  defaultValue: (): URL | null => null
}) {}

/** Notifications that no step of a task causes. */
export class Reminders extends Context.Tag("troupe/Delivery/Reminders")<Reminders, {
  /** Puts the reminder in the user's feed and in the outbox. Joins the transaction of the caller. */
  readonly send: (reminder: Reminder) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Reminders, never, ChatPlatform | Outbox | SqlClient> = Layer.effect(
    this,
    Effect.map(
      Effect.all([ChatPlatform, SqlClient, Outbox, ConsoleAddress]),
      ([platform, sql, { enqueue }, console]) =>
        Reminders.of({
          send: Effect.fn("Reminders.send")(function*(reminder) {
            const { body, taskId = null, title, user } = reminder
            const { epochMillis } = yield* DateTime.now
            const id = v7({ msecs: epochMillis })
            const recipient = chatRecipientOf(reminder)
            if (recipient !== null) {
              const posts = platform.render(messageOf(reminder, platform, console))
              yield* enqueue(
                yield* Effect.forEach(posts, (post, at) =>
                  Effect.map(newOutboxId, (further) => ({
                    // The first takes the place of the notification's own message in the chat, which has no button.
                    id: at === 0
                      ? OutboxId.make(`${id.slice(0, 19)}${deliveryWays.chat.mark}${id.slice(20)}`)
                      : further,
                    channel: "chat" as const,
                    recipient,
                    kind: "reminder",
                    user_id: user.id,
                    task_id: null,
                    payload: chatPostText(post)
                  })))
              )
            }
            yield* sql`with added as (
  insert into notifications (id, user_id, task_id, kind, title, body)
  values (${id}::uuid, ${user.id}, ${taskId}::uuid, 'reminder', ${storable(title)}, ${storable(body)})
  returning id, user_id, task_id
), notices as (
  select added.*, ${JSON.stringify(messagesTo(contactsIn(user)))}::json as messages from added
)${sql.literal(sendNotifications("notices"))}
select ${sql.literal(outboxSignal("messages"))}`.pipe(Effect.orDie)
          })
        })
    )
  )
}

const contactsIn = (user: Reminder["user"]): Contacts => ({
  id: user.id,
  notify_by: user.notify_by,
  addresses: Object.fromEntries(notifyAddresses.map(([way, field]) => [way, user[field]]))
})

const chatRecipientOf = ({ postedTo, user }: Reminder): string | null =>
  postedTo !== null && postedTo !== user.chat_user_id
    ? chatReplyText({ thread: postedTo, user: user.chat_user_id })
    : postedTo !== null || user.notify_by.includes("chat")
    ? user.chat_user_id
    : null

const messageOf = (
  { body, label = "Reminder", postedTo, repeatedBy, taskId, user: { chat_user_id: user } }: Reminder,
  { isDirect }: Pick<ChatPlatform["Type"], "isDirect">,
  console: URL | null
): ChatMessage => {
  const isAmongOthers = postedTo !== null && postedTo !== user && !isDirect(postedTo)
  const links = taskId === undefined || console === null
    ? []
    : ["\n\n", link(taskAddress(console, taskId), "Open the task")]
  // Only a reminder that its user has set is all in the user's own words.
  const words = label === "Reminder" && taskId === undefined ? typedLines(body) : body
  return {
    text: [...(isAmongOthers && user !== null ? [mention(user), " "] : []), `${label}: `, words, ...links],
    buttons: repeatedBy === null ? [] : recurringButtons({ id: repeatedBy, kind: "reminder" })
  }
}

/** Under what recurs: a button that stops it, and one that makes a task of a reminder which its user has set. */
export const recurringButtons = (
  { id, kind }: Pick<Schedule, "id" | "kind">,
  mayBecomeTask = false
): ReadonlyArray<Button> => [
  { action: stopRemindersAction, label: kind === "task" ? "Stop this task" : "Stop reminding me", value: id },
  ...(mayBecomeTask ? [{ action: makeTaskAction, label: "Make it a task", value: id }] : [])
]
