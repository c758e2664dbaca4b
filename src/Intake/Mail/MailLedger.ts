import { SqlClient } from "@effect/sql/SqlClient"
import type { IgnoredMailReason } from "@troupe/domain/IgnoredMail"
import { Duration, Effect, Option, Schema } from "effect"
import { v7 } from "uuid"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storableOrNull } from "../../Runtime/Database/StorableText.ts"
import { maxIgnored } from "./IgnoredMails.ts"
import type { MailSummary } from "./MailSummary.ts"

/** Processed; skipped and marked as read (`duplicate`, `ignored`); or skipped and left unread (`refused`, `failed`). */
export const MailOutcome = Schema.Literal(
  "task",
  "answer",
  "message",
  "continuation",
  "duplicate",
  "ignored",
  "refused",
  "failed"
)
export type MailOutcome = typeof MailOutcome.Type

export const staysUnread = (outcome: MailOutcome): boolean => outcome === "refused" || outcome === "failed"

export interface MailLocation {
  readonly mailbox: string
  readonly uidValidity: string
  readonly uid: number
}

/** An attempt to process a mail; a later attempt takes its place. */
export interface MailClaim extends MailLocation {
  readonly attempt: number
}

/** Digests of its Message-ID and of its sender; null as long as they are not known. */
export interface MailKeys {
  readonly messageKey: string | null
  readonly senderKey: string | null
  readonly isUnknown: boolean
}

export const noKeys: MailKeys = { messageKey: null, senderKey: null, isUnknown: false }

interface MailResult extends MailKeys {
  readonly outcome: MailOutcome
  readonly code: IgnoredMailReason | null
  readonly reason: string | null
}

/** Whose mails a limit counts: those of one sender, of all unknown senders, or of everybody. */
export type MailScope = "sender" | "unknown" | "inbox"

/** The outcome of each mail. */
export const makeMailLedger = Effect.map(SqlClient, (sql) => {
  const current = ({ attempt, mailbox, uid, uidValidity }: MailClaim) =>
    sql`mailbox = ${mailbox} and uid_validity = ${uidValidity}::bigint and uid = ${uid}::bigint and outcome is null
  and attempts = ${attempt}`

  /** The next attempt may begin after the pause. */
  const again = (claim: MailClaim, pause: Duration.Duration, uncounted: 0 | 1) =>
    sql`update mail_ledger set attempts = attempts - ${uncounted}::integer,
  next_attempt_at = now() + make_interval(secs => ${Duration.toSeconds(pause)})
where ${current(claim)}`

  /** Keeps the descriptions of the newest mails that were not taken. */
  const forgetOthers =
    sql`update mail_ledger set ignored_id = null, reason_code = null, from_header = null, subject = null, message_id = null
where ignored_id <= (
  select ignored_id from mail_ledger where ignored_id is not null order by ignored_id desc offset ${maxIgnored} limit 1
)`

  const countedBy = (scope: MailScope, senderKey: string) =>
    scope === "sender" ? sql`sender_key = ${senderKey}` : scope === "unknown" ? sql`is_unknown` : sql`true`

  return {
    /** The entries of those mails that an earlier check has begun. */
    known: ({ mailbox, uidValidity }: Omit<MailLocation, "uid">, uids: ReadonlyArray<number>) =>
      knownMails(
        sql`select uid::text, outcome, next_attempt_at <= now() as is_due from mail_ledger
where mailbox = ${mailbox} and uid_validity = ${uidValidity}::bigint and uid = any(${uids}::bigint[])`
      ),
    /** Counts an attempt before it begins; none if the mail is processed, or another attempt is in progress. */
    begin: (place: MailLocation, lease: Duration.Duration) =>
      attempts(
        sql`insert into mail_ledger as m (mailbox, uid_validity, uid, attempts, next_attempt_at)
values (${place.mailbox}, ${place.uidValidity}::bigint, ${place.uid}::bigint, 1,
  now() + make_interval(secs => ${Duration.toSeconds(lease)}))
on conflict (mailbox, uid_validity, uid) do update
  set attempts = m.attempts + 1, next_attempt_at = excluded.next_attempt_at
  where m.outcome is null and m.next_attempt_at <= now()
returning attempts as attempt`
      ).pipe(Effect.map(([begun]) => Option.map(Option.fromNullable(begun), ({ attempt }) => ({ ...place, attempt })))),
    /** Takes part in the transaction of what the mail causes. False: another attempt has taken the mail. */
    finish: (
      claim: MailClaim,
      { code, isUnknown, messageKey, outcome, reason, senderKey }: MailResult,
      { from, messageId, receivedAt, subject }: MailSummary
    ) =>
      sql`update mail_ledger set outcome = ${outcome}, reason = ${storableOrNull(reason)},
  message_key = ${messageKey}, sender_key = ${senderKey}, is_unknown = ${isUnknown}, done_at = now(),
  ignored_id = ${code === null ? null : v7()}::uuid, reason_code = ${code}, from_header = ${storableOrNull(from)},
  subject = ${storableOrNull(subject)}, message_id = ${storableOrNull(messageId)},
  received_at = ${Option.getOrNull(receivedAt)}::timestamptz
where ${current(claim)} returning 1`.pipe(
        Effect.tap(() => code === null ? Effect.void : forgetOthers),
        Effect.map(({ length }) => length === 1)
      ),
    retry: (claim: MailClaim, pause: Duration.Duration) => again(claim, pause, 0),
    /** As if the attempt had not begun; the next one may begin after the pause. */
    release: (claim: MailClaim, pause: Duration.Duration) => again(claim, pause, 1),
    /**
     * `earlierKey`: its key in rows of earlier versions, which other mails with its Message-ID have too. Such a row is
     * that of a mail only if the mail was sent in the month before.
     */
    isKnown: (messageKey: string, earlierKey: string, date: string | null) =>
      Effect.map(
        sql`select 1 from mail_ledger where message_key in (${messageKey}, ${earlierKey}) and (message_key = ${messageKey}
    or coalesce(${date}::timestamptz between done_at - interval '30 days' and done_at + interval '1 hour', true))
  and outcome in ('task', 'answer', 'message', 'continuation', 'ignored', 'refused') limit 1`,
        ({ length }) => length === 1
      ),
    /** How long until the scope is below its hourly `limit`; none if it is. */
    pauseOf: (scope: MailScope, senderKey: string, limit: number) =>
      pauses(
        sql`select extract(epoch from done_at + interval '1 hour' - now())::float8 as seconds from mail_ledger
where ${countedBy(scope, senderKey)} and outcome in ('task', 'answer', 'message', 'continuation')
  and coalesce(done_at, next_attempt_at) > now() - interval '1 hour'
order by done_at desc limit 1 offset ${limit - 1}`
      ).pipe(Effect.map(([pause]) =>
        Option.map(Option.fromNullable(pause), ({ seconds }) => Duration.seconds(Math.max(1, Math.ceil(seconds))))
      )),
    /** Deletes entries of 90 days ago. */
    deleteOld: sql`delete from mail_ledger where coalesce(done_at, next_attempt_at) < now() - interval '90 days'`
  }
})

const knownMails = rowsOf(Schema.Struct({
  uid: Schema.NumberFromString,
  outcome: Schema.NullOr(MailOutcome),
  is_due: Schema.Boolean
}))

const attempts = rowsOf(Schema.Struct({ attempt: Schema.Int }))

const pauses = rowsOf(Schema.Struct({ seconds: Schema.Number }))
