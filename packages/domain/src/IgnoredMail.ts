import { Schema } from "effect"
import { recordId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

export const IgnoredMailId = recordId("IgnoredMailId", "Id of the entry: a time-sortable UUIDv7")
export type IgnoredMailId = typeof IgnoredMailId.Type

/** Why a mail of the inbox was not taken. */
export const IgnoredMailReason = Schema.Literal(
  "automatic",
  "report",
  "list",
  "own",
  "no_sender",
  "unauthenticated",
  "unknown_sender",
  "not_allowed",
  "duplicate",
  "empty",
  "unreadable",
  "failed",
  "too_old",
  "deleted"
)
export type IgnoredMailReason = typeof IgnoredMailReason.Type

const header = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** A mail of the inbox that became no task and no message to one. */
export const IgnoredMail = Schema.Struct({
  id: IgnoredMailId,
  received_at: Timestamp.annotations({
    description: "When the mail server received it; if that is not known, when it was ignored"
  }),
  ignored_at: Timestamp.annotations({ description: "When it was ignored" }),
  from: header("Its sender, with the name; null if it could not be read"),
  subject: header("Its subject; null if it could not be read"),
  message_id: header("Its Message-ID; null if it has none"),
  mailbox: Schema.String.annotations({ description: "Account and mailbox in which it is" }),
  reason: IgnoredMailReason.annotations({
    description:
      "automatic: an automatic answer or notice. report: a bounce or receipt. list: a mailing list or newsletter. "
      + "own: from this service. no_sender: not exactly one sender. unauthenticated: the mail server does not confirm its "
      + "sender. unknown_sender: not a member of the team. not_allowed: its sender has no right to the task that it answers. "
      + "duplicate: it arrived before. empty: it has no text. unreadable: it can't be parsed. failed: five attempts failed. "
      + "too_old: unread for more than 7 days. deleted: it was gone before it was read"
  }),
  detail: Schema.String.annotations({ description: "The reason in words" })
}).annotations({ identifier: "IgnoredMail" })
export type IgnoredMail = typeof IgnoredMail.Type
