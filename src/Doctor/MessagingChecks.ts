import { error, ok, skipped, warning } from "@troupe/domain/Finding"
import { plural } from "@troupe/domain/Text"
import { Duration, Effect, Layer, Option, type Redacted } from "effect"
import * as SlackWebApi from "../Chat/Slack/SlackWebApi.ts"
import { ChatHealth } from "../People/ChatHealth.ts"
import { Imap, maxMailAge } from "../Wire/Imap.ts"
import type { ImapSettings } from "../Wire/ImapClient.ts"
import * as ImapClient from "../Wire/ImapClient.ts"
import { Mail } from "../Wire/Mail.ts"
import type { SmtpSettings } from "../Wire/Smtp.ts"
import * as Smtp from "../Wire/Smtp.ts"
import type { Check } from "./Check.ts"

/** Whether the mail server answers and accepts the sign-in; nothing is sent. */
export const mailCheck = (settings: Option.Option<SmtpSettings>): Check => ({
  name: "mail",
  run: Option.match(settings, {
    onNone: () => Effect.succeed([skipped("mail", "Sending mail is not set up.", "Set SMTP_HOST and SMTP_FROM.")]),
    onSome: (smtp) =>
      Effect.flatMap(Mail, ({ verify }) => verify).pipe(
        Effect.match({
          onSuccess: (detail) => [ok("mail", detail)],
          onFailure: ({ reason }) => [error("mail", reason, "Check the SMTP_ settings.")]
        }),
        Effect.provide(Smtp.layer(smtp, { connect: "5 seconds", idle: "5 seconds", total: "15 seconds" }))
      )
  })
})

/** Whether the mailbox can be read; nothing in it is changed. */
export const inboxCheck = (
  settings: Option.Option<{
    readonly imap: ImapSettings
    readonly trustedAuthserv: Option.Option<string>
  }>
): Check => ({
  name: "inbox",
  run: Option.match(settings, {
    onNone: () =>
      Effect.succeed([skipped("inbox", "Reading mail is not set up.", "Set IMAP_HOST, IMAP_USER and IMAP_PASSWORD.")]),
    onSome: ({ imap, trustedAuthserv }) =>
      Effect.flatMap(Imap, ({ open }) => open).pipe(
        Effect.bindTo("mailbox"),
        Effect.bind("unread", ({ mailbox }) => mailbox.unseen(maxMailAge)),
        Effect.scoped,
        Effect.match({
          onSuccess: ({ mailbox: { announces }, unread }) => [
            ok(
              "inbox",
              `${imap.host}:${imap.port} accepts the sign-in; ${imap.mailbox} has ${
                plural(unread.length, "unread mail")
              } of the `
                + `last ${plural(Duration.toDays(maxMailAge), "day")}${announces ? ", and announces new ones" : ""}.`
            ),
            ...(Option.isSome(trustedAuthserv) ? [] : [
              warning(
                "inbox",
                "Whoever forges a sender's address acts as that sender.",
                "Set INBOX_TRUSTED_AUTHSERV to the name in the Authentication-Results of your mail server."
              )
            ])
          ],
          onFailure: ({ reason }) => [error("inbox", reason, "Check the IMAP_ settings.")]
        }),
        Effect.provide(ImapClient.layer(imap, { connect: "5 seconds", command: "10 seconds" }))
      )
  })
})

/** Which senders of webhooks are verified. */
export const webhookCheck = ({ secrets, trustUnsigned }: {
  readonly secrets: ReadonlyMap<string, Redacted.Redacted>
  readonly trustUnsigned: boolean
}): Check => {
  const sign = "Set WEBHOOK_SECRET_<TYPE> here, and the same secret at the sender."
  const signed = secrets.size === 0
    ? "No type of webhook has a secret."
    : `Signatures of these webhooks are verified: ${[...secrets.keys()].sort().join(", ")}.`
  return {
    name: "webhooks",
    run: Effect.succeed([
      trustUnsigned
        ? warning(
          "webhooks",
          `${signed} Whoever can send others starts tasks that have all tools.`,
          `${sign} Then unset WEBHOOK_TRUST_UNSIGNED.`
        )
        : secrets.size === 0
        ? skipped(
          "webhooks",
          `${signed} Without a token too, tasks of webhooks from other machines have read-only tools.`,
          sign
        )
        : ok("webhooks", signed)
    ])
  }
}

/** Whether the chat platform accepts the token; nothing is posted. */
export const chatCheck = ({ apiUrl, signingSecret, token }: {
  readonly apiUrl: Option.Option<URL>
  readonly token: Option.Option<Redacted.Redacted>
  readonly signingSecret: Option.Option<Redacted.Redacted>
}): Check => ({
  name: "chat",
  run: Option.match(token, {
    onNone: () =>
      Effect.succeed([
        skipped("chat", "Team chat is not set up.", "Set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET.")
      ]),
    onSome: (given) =>
      Effect.flatMap(ChatHealth, ({ check }) => check).pipe(
        Effect.map(({ detail, status }) =>
          status !== "ok"
            ? [error("chat", detail, "Check CHAT_BOT_TOKEN and CHAT_API_URL.")]
            : Option.isNone(signingSecret)
            ? [warning("chat", detail, "Set CHAT_SIGNING_SECRET to the secret that the platform shows.")]
            : [ok("chat", detail)]
        ),
        Effect.provide(
          ChatHealth.layer({ canReceive: Option.isSome(signingSecret) }).pipe(
            Layer.provide(SlackWebApi.layer({ apiUrl: Option.getOrNull(apiUrl), token: given, timeout: 10_000 }))
          )
        )
      )
  })
})
