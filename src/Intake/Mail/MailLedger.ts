import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { storable } from "../../Runtime/StorableText.ts"

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

export interface MailResult {
  readonly outcome: MailOutcome
  readonly reason: string | null
  /** Digests of its Message-ID and of its sender; null as long as they are not known. */
  readonly messageKey: string | null
  readonly senderKey: string | null
  readonly isUnknown: boolean
}

/** Whose mails a limit counts: those of one sender, of all unknown senders, or of everybody. */
export const MailScope = Schema.Literal("sender", "unknown", "inbox")
export type MailScope = typeof MailScope.Type

const Known = Schema.Struct({
  uid: Schema.NumberFromString,
  outcome: Schema.NullOr(MailOutcome),
  is_due: Schema.Boolean
})
export type KnownMail = typeof Known.Type

/** The outcome of each mail. Fails only if the database does. */
export class MailLedger extends Context.Tag("troupe/Intake/Mail/MailLedger")<MailLedger, {
  /** Those of the mails that were seen before. */
  readonly known: (
    box: Pick<MailLocation, "mailbox" | "uidValidity">,
    uids: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<KnownMail>, SqlError>
  /** Counts an attempt before it begins; none if the mail is processed, or another attempt is in progress. */
  readonly begin: (place: MailLocation, lease: Duration.Duration) => Effect.Effect<Option.Option<MailClaim>, SqlError>
  /** Takes part in the transaction of what the mail causes. False: another attempt has taken the mail. */
  readonly finish: (claim: MailClaim, end: MailResult) => Effect.Effect<boolean, SqlError>
  readonly retry: (claim: MailClaim, error: string, pause: Duration.Duration) => Effect.Effect<void, SqlError>
  /** As if the attempt had not begun; the next one may begin after the pause. */
  readonly release: (claim: MailClaim, pause: Duration.Duration) => Effect.Effect<void, SqlError>
  readonly isKnown: (messageKey: string) => Effect.Effect<boolean, SqlError>
  /** How long until the scope is below its hourly `limit`; none if it is. */
  readonly pauseOf: (
    scope: MailScope,
    senderKey: string,
    limit: number
  ) => Effect.Effect<Option.Option<Duration.Duration>, SqlError>
  /** Deletes entries of 90 days ago, a batch at a time. */
  readonly deleteOld: Effect.Effect<void, SqlError>
}>() {
  static readonly layer: Layer.Layer<MailLedger, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeLedger)
  )
}

const Attempts = Schema.Struct({ attempts: Schema.Int })
const Pause = Schema.Struct({ seconds: Schema.Number })

const batch = 1_000

function makeLedger(sql: SqlClient.SqlClient): MailLedger["Type"] {
  const at = ({ mailbox, uid, uidValidity }: MailLocation) =>
    sql`mailbox = ${mailbox} and uid_validity = ${uidValidity}::bigint and uid = ${uid}::bigint`
  const current = (claim: MailClaim) => sql`${at(claim)} and outcome is null and attempts = ${claim.attempt}`

  const known = SqlSchema.findAll({
    Request: Schema.Struct({ mailbox: Schema.String, uidValidity: Schema.String, uids: Schema.String }),
    Result: Known,
    execute: ({ mailbox, uidValidity, uids }) =>
      sql`select uid::text, outcome, next_attempt_at <= now() as is_due from mail_ledger
where mailbox = ${mailbox} and uid_validity = ${uidValidity}::bigint and uid = any(${uids}::bigint[])`
  })
  const within = (scope: MailScope, senderKey: string) =>
    scope === "sender" ? sql`sender_key = ${senderKey}` : scope === "unknown" ? sql`is_unknown` : sql`true`
  const pause = SqlSchema.findOne({
    Request: Schema.Struct({ scope: MailScope, senderKey: Schema.String, limit: Schema.Int }),
    Result: Pause,
    execute: ({ limit, scope, senderKey }) =>
      sql`select extract(epoch from done_at + interval '1 hour' - now())::float8 as seconds from mail_ledger
where ${within(scope, senderKey)} and outcome in ('task', 'answer', 'message', 'continuation')
  and done_at > now() - interval '1 hour'
order by done_at desc limit 1 offset ${limit - 1}`
  })
  const deleteBatch = Effect.map(
    sql`delete from mail_ledger where ctid = any(array(
  (select ctid from mail_ledger where outcome is not null and done_at < now() - interval '90 days' limit ${batch})
  union all
  (select ctid from mail_ledger where outcome is null and next_attempt_at < now() - interval '90 days' limit ${batch})
)) returning 1`,
    ({ length }) => length
  )
  const begun = SqlSchema.findOne({
    Request: Schema.Struct({
      mailbox: Schema.String,
      uidValidity: Schema.String,
      uid: Schema.Int,
      seconds: Schema.Number
    }),
    Result: Attempts,
    execute: ({ mailbox, seconds, uid, uidValidity }) =>
      sql`insert into mail_ledger as m (mailbox, uid_validity, uid, attempts, next_attempt_at)
values (${mailbox}, ${uidValidity}::bigint, ${uid}::bigint, 1, now() + make_interval(secs => ${seconds}))
on conflict (mailbox, uid_validity, uid) do update
  set attempts = m.attempts + 1, next_attempt_at = excluded.next_attempt_at
  where m.outcome is null and m.next_attempt_at <= now()
returning attempts`
  })

  return MailLedger.of({
    known: ({ mailbox, uidValidity }, uids) =>
      uids.length === 0
        ? Effect.succeed([])
        : Effect.catchTag(known({ mailbox, uidValidity, uids: `{${uids.join(",")}}` }), "ParseError", Effect.die),
    begin: (place, lease) =>
      begun({ ...place, seconds: Duration.toSeconds(lease) }).pipe(
        Effect.catchTag("ParseError", Effect.die),
        Effect.map(Option.map(({ attempts }) => ({ ...place, attempt: attempts })))
      ),
    finish: (claim, { isUnknown, messageKey, outcome, reason, senderKey }) =>
      Effect.map(
        sql`update mail_ledger set outcome = ${outcome}, reason = ${reason === null ? null : storable(reason)},
  message_key = ${messageKey}, sender_key = ${senderKey}, is_unknown = ${isUnknown}, done_at = now()
where ${current(claim)} returning 1`,
        ({ length }) => length === 1
      ),
    retry: (claim, error, pause) =>
      Effect.asVoid(
        sql`update mail_ledger set last_error = ${storable(error)},
  next_attempt_at = now() + make_interval(secs => ${Duration.toSeconds(pause)})
where ${current(claim)}`
      ),
    release: (claim, pause) =>
      Effect.asVoid(
        sql`update mail_ledger set attempts = attempts - 1,
  next_attempt_at = now() + make_interval(secs => ${Duration.toSeconds(pause)})
where ${current(claim)}`
      ),
    isKnown: (messageKey) =>
      Effect.map(
        sql`select 1 from mail_ledger where message_key = ${messageKey}
  and outcome in ('task', 'answer', 'message', 'continuation', 'ignored', 'refused') limit 1`,
        ({ length }) => length === 1
      ),
    pauseOf: (scope, senderKey, limit) =>
      pause({ scope, senderKey, limit }).pipe(
        Effect.catchTag("ParseError", Effect.die),
        Effect.map(Option.map(({ seconds }) => Duration.seconds(Math.max(1, Math.ceil(seconds)))))
      ),
    deleteOld: Effect.asVoid(Effect.repeat(deleteBatch, { while: (deleted) => deleted >= batch }))
  })
}
