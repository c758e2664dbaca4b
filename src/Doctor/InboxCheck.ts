import { Duration, Effect, Option } from "effect"
import { Imap } from "../Wire/Imap.ts"
import * as ImapClient from "../Wire/ImapClient.ts"
import type { ImapSettings } from "../Wire/ImapSettings.ts"
import { type Check, error, ok, skipped, warning } from "./Check.ts"

const name = "inbox"

/** Whether the mailbox can be read; nothing in it is changed. */
export const inboxCheck = (
  settings: Option.Option<{
    readonly imap: ImapSettings
    readonly maxAge: Duration.Duration
    readonly trustedAuthserv: Option.Option<string>
  }>
): Check => ({
  name,
  run: Option.match(settings, {
    onNone: () =>
      Effect.succeed([skipped(name, "Reading mail is not set up.", "Set IMAP_HOST, IMAP_USER and IMAP_PASSWORD.")]),
    onSome: ({ imap, maxAge, trustedAuthserv }) =>
      Effect.flatMap(Imap, ({ open }) => open).pipe(
        Effect.bindTo("mailbox"),
        Effect.bind("unread", ({ mailbox }) => mailbox.unseen(maxAge)),
        Effect.scoped,
        Effect.match({
          onSuccess: ({ mailbox: { announces }, unread }) => [
            ok(
              name,
              `${imap.host}:${imap.port} accepts the sign-in; ${imap.mailbox} has ${unread.length} unread mails of the last `
                + `${Duration.toDays(maxAge)} days${announces ? ", and announces new ones" : ""}.`
            ),
            ...(Option.isSome(trustedAuthserv) ? [] : [
              warning(
                name,
                "Whoever forges a sender's address acts as that sender.",
                "Set INBOX_TRUSTED_AUTHSERV to the name in the Authentication-Results of your mail server."
              )
            ])
          ],
          onFailure: ({ reason }) => [error(name, reason, "Check the IMAP_ settings.")]
        }),
        Effect.provide(ImapClient.layer(imap, { connect: "5 seconds", command: "10 seconds" }))
      )
  })
})
