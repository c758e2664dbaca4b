import { optional, secret, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const inbox = {
  imap: {
    host: optional("IMAP_HOST", Format.host)
      .describe("The server of the mailbox whose mails become tasks. Unset: no mail is read."),
    port: optional("IMAP_PORT", Format.port)
      .describe("Its port. Unset: 993 with IMAP_SECURE=true, else 143."),
    secure: setting("IMAP_SECURE", Format.oneOf("true", "starttls", "false"), "true")
      .describe("true: TLS from the start. starttls: upgraded to TLS before the sign-in. false: never encrypted."),
    user: optional("IMAP_USER", Format.text)
      .describe("User name to sign in with."),
    password: secret("IMAP_PASSWORD", Format.text)
      .describe("Password to sign in with."),
    mailbox: setting("IMAP_MAILBOX", Format.text, "INBOX")
      .describe("The mailbox that is read. Troupe marks processed mails as read, and deletes nothing."),
    check: setting("IMAP_CHECK", Format.secondsBetween(1, 86_400), "60")
      .describe("Seconds between checks. Where the server announces new mail (IDLE), it is read at once."),
    maxPerSender: setting("INBOX_MAX_PER_SENDER", Format.integerBetween(1, 100_000), "10")
      .describe(
        "Maximum number of mails of one sender that are processed in an hour; further ones wait."
      ),
    maxUnknown: setting("INBOX_MAX_UNKNOWN", Format.integerBetween(1, 100_000), "30")
      .describe(
        "Maximum number of mails of all unknown senders together that are processed in an hour; further ones wait. A "
          + "sender is known if somebody has entered the address, or the chat platform lists it."
      ),
    maxPerHour: setting("INBOX_MAX_PER_HOUR", Format.integerBetween(1, 100_000), "200")
      .describe("Maximum number of mails of all senders that are processed in an hour; further ones wait."),
    maxAge: setting("INBOX_MAX_AGE_DAYS", Format.daysBetween(1, 30), "7")
      .describe("Unread mails that are older than this many days are ignored."),
    trustedAuthserv: optional("INBOX_TRUSTED_AUTHSERV", Format.host)
      .describe(
        "Name under which your mail server writes Authentication-Results, such as mx.example.org. Only mails whose sender "
          + "it has authenticated are then accepted. Required if hosted. Unset: whoever forges a sender's address acts as "
          + "that sender."
      )
  }
}
