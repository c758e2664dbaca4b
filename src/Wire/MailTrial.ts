import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { Duration, Effect, Either, Option } from "effect"
import { randomUUID } from "node:crypto"
import { Imap, type OpenMailbox } from "./Imap.ts"
import { Mail, MailFailed } from "./Mail.ts"

/** How long a mail to ourselves may take. */
const arrivalTime = Duration.seconds(20)

const readBytes = 64 * 1_024

const recently = Duration.days(1)

const text = "This mail tests the settings of mail in Troupe. It needs no answer."

/** Sends a mail to each address, or fails with who did not get it. Succeeds with its Message-ID. */
export const sendTrial = (to: ReadonlyArray<Mailbox>): Effect.Effect<string, MailFailed, Mail> =>
  Effect.flatMap(Mail, ({ send }) =>
    send({
      id: `trial-${randomUUID()}`,
      to,
      cc: [],
      subject: "Troupe can send mail",
      text,
      html: `<p>${text}</p>`,
      attachments: [],
      answers: Option.none()
    })).pipe(
      Effect.filterOrFail(
        ({ refused }) => refused.length === 0,
        ({ refused }) =>
          new MailFailed({
            kind: "refused",
            reason: refused.map(({ address, reason }) => `The server refuses ${address}: ${reason}`).join(" ")
          })
      ),
      Effect.map(({ messageId }) => messageId)
    )

/** The address that reaches the mailbox, as far as its settings show it. */
export const ownAddress = (user: string, from: Mailbox): Mailbox =>
  Either.getOrElse(mailboxOf(user), () => ({ name: "", address: from.address }))

/** Watches the mailbox from now on; the result waits for the mail of a Message-ID, and marks it as read. */
export const watchMailbox = Effect.gen(function*() {
  const mailbox = yield* Effect.flatMap(Imap, ({ open }) => open)
  const known = new Set(yield* mailbox.recent(recently))
  const found = Effect.fnUntraced(function*(messageId: string) {
    while (true) {
      for (const uid of (yield* mailbox.recent(recently)).filter((uid) => !known.has(uid))) {
        known.add(uid)
        if (yield* isOf(mailbox, uid, messageId)) return yield* mailbox.markSeen(uid)
      }
      yield* Effect.sleep("1 second")
    }
  })
  return (messageId: string) =>
    Effect.timed(found(messageId)).pipe(
      Effect.map(([time]) => `It arrived in ${mailbox.name} after ${Math.round(Duration.toSeconds(time))} s.`),
      Effect.timeoutFail({
        duration: arrivalTime,
        onTimeout: () => ({
          message:
            `It did not arrive in ${mailbox.name} within ${Duration.format(arrivalTime)}. It may be late, or among the `
            + "spam; else no mail to the service reaches this mailbox."
        })
      })
    )
})

const isOf = (mailbox: OpenMailbox, uid: number, messageId: string) =>
  Effect.map(
    mailbox.read(uid, readBytes),
    Option.exists(({ bytes }) => Buffer.from(bytes).toString("latin1").includes(messageId))
  )
