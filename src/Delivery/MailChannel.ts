import type { SqlClient } from "@effect/sql/SqlClient"
import { type Mailbox, mailboxOf, type MailReply, MailReplyJson } from "@troupe/domain/Mailbox"
import { Effect, Match, Option, Schema } from "effect"
import { AttemptFailed } from "../Queue/AttemptFailed.ts"
import { Mail, type MailFailed, messageIdOf, type OutgoingMail, type SentMail } from "../Wire/Mail.ts"
import { makeMessageThreads } from "./MessageThreads.ts"
import { mailTextOf, notificationMailOf, type NotificationMailOptions } from "./NotificationText.ts"
import { AttachedFiles, type ClaimedMessage, type OutboxChannel, type OutboxNotification } from "./OutboxChannel.ts"

/** What most servers accept; encoding adds a third. */
export const maxAttachedBytes = 15 * 1_024 * 1_024

/**
 * The Message-ID derives from the message's id, and is stored as a thread of its task before the mail is sent, so that
 * a reply finds the task.
 */
export const make = (
  options: NotificationMailOptions
): Effect.Effect<OutboxChannel, never, AttachedFiles | Mail | SqlClient> =>
  Effect.gen(function*() {
    const mail = yield* Mail
    const attached = yield* AttachedFiles
    const threads = yield* makeMessageThreads

    const notificationMail = (message: ClaimedMessage, notification: OutboxNotification) =>
      Effect.gen(function*() {
        const { mailbox, reply } = yield* recipientOf(message.recipient)
        const { files, missing } = notification.kind === "completion"
          ? yield* attached.read(notification.filesOf, notification.files ?? [], maxAttachedBytes)
          : { files: [], missing: [] }
        return {
          ...notificationMailOf(notification, message.task_id, reply, missing, options),
          to: [mailbox],
          cc: [],
          attachments: files,
          answers: reply === null || reply.messageId === null
            ? Option.none()
            : Option.some({ messageId: reply.messageId, references: reply.references })
        }
      })

    const composed = ({ attachments, body, cc, subject, to }: MailPayload) =>
      Effect.map(Effect.forEach(attachments, copied), (files) => ({
        ...mailTextOf(body),
        to,
        cc,
        subject,
        attachments: files,
        answers: Option.none()
      }))

    const copied = ({ digest, filename }: MailPayload["attachments"][number]) =>
      attached.copy(digest).pipe(
        Effect.flatten,
        Effect.mapBoth({
          onFailure: () => refused(`The copy of the attachment ${JSON.stringify(filename)} is gone.`),
          onSuccess: (content) => ({ filename, content })
        })
      )

    const contentOf = (message: ClaimedMessage): Effect.Effect<Omit<OutgoingMail, "id">, AttemptFailed> =>
      Match.valueTags(message.content, {
        Notification: ({ notification }) => notificationMail(message, notification),
        Payload: ({ payload }) =>
          Schema.decode(MailPayload)(payload).pipe(
            Effect.mapError(() => refused("The stored mail can't be read.")),
            Effect.flatMap(composed)
          )
      })

    return {
      channel: "email",
      deliver: Effect.fn("MailChannel.deliver")(function*(message, handedOver) {
        const content = yield* contentOf(message)
        const about = message.content._tag === "Payload"
          ? { addresses: addressesOf(content), call: null }
          : { addresses: [], call: message.content.notification.asked?.call ?? null }
        const threaded = Option.isSome(mail.sender) && message.task_id !== null
          ? threads.addMail(message.task_id, messageIdOf(mail.sender.value, message.id), about)
          : Effect.void
        const delivery = yield* mail.send({ ...content, id: message.id }, Effect.zipRight(threaded, handedOver)).pipe(
          Effect.catchTag("MailFailed", (failure) => failedAs(failure))
        )
        if (message.task_id !== null) {
          yield* Effect.ignoreLogged(threads.addMail(message.task_id, delivery.messageId, about))
        }
        return remarkOf(delivery)
      })
    }
  })

const { refused } = AttemptFailed

const kinds = { unconfigured: "later", refused: "refused", unavailable: "later", uncertain: "uncertain" } as const

const failedAs = ({ kind, reason }: MailFailed) => AttemptFailed.as(kinds[kind], reason)

const addressesOf = ({ cc, to }: Pick<OutgoingMail, "cc" | "to">): ReadonlyArray<string> =>
  [...to, ...cc].map(({ address }) => address.toLowerCase())

const remarkOf = ({ refused: those }: SentMail): string | null =>
  those.length === 0 ? null : those.map(({ address, reason }) => `Not sent to ${address}: ${reason}`).join("\n")

interface Recipient {
  readonly mailbox: Mailbox
  readonly reply: MailReply | null
}

/** A plain address, or the reply of a task. */
const recipientOf = (recipient: string): Effect.Effect<Recipient, AttemptFailed> =>
  Effect.gen(function*() {
    const reply = recipient.startsWith("{") ? yield* Schema.decode(MailReplyJson)(recipient) : null
    const address = yield* mailboxOf(reply?.address ?? recipient)
    return { mailbox: { ...address, name: plainName(reply?.name ?? address.name) }, reply }
  }).pipe(Effect.mapError((cause) =>
    refused(`The recipient can't be used: ${typeof cause === "string" ? cause : "it is not readable"}.`)
  ))

/** Nothing that could end a header line. */
export const plainName = (name: string) => name.replace(/[\p{C}\s"\\<>]+/gu, " ").trim().slice(0, 100)

const Address = Schema.Struct({ name: Schema.String, address: Schema.String })

/** What the outbox keeps of a mail that is no notification. The body is markdown. */
export const MailPayload = Schema.parseJson(Schema.Struct({
  to: Schema.Array(Address),
  cc: Schema.Array(Address),
  subject: Schema.String,
  body: Schema.String,
  attachments: Schema.Array(Schema.Struct({ filename: Schema.String, digest: Schema.String }))
}))
export type MailPayload = typeof MailPayload.Type

export const mailPayloadText: (payload: MailPayload) => string = Schema.encodeSync(MailPayload)
