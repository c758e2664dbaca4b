import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { IgnoredMail } from "@troupe/domain/IgnoredMail"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"

/** How many mails that were not taken the ledger describes. */
export const maxIgnored = 200

/** The mails of the inbox that were not taken. */
export class IgnoredMails extends Context.Tag("troupe/Intake/Mail/IgnoredMails")<IgnoredMails, {
  /** The last `maxIgnored`, the newest first. */
  readonly list: Effect.Effect<ReadonlyArray<IgnoredMail>, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<IgnoredMails, never, SearchStatements> = Layer.effect(
    this,
    Effect.map(SearchStatements, ({ execute }) =>
      IgnoredMails.of({
        list: Effect.withSpan(ignoredMails(asService(execute(list({})))), "IgnoredMails.list")
      }))
  )
}

const ignoredMails = rowsOf(IgnoredMail)

const list = prepared(
  "mail_ignored",
  [],
  `select ignored_id::text as id, ${timestamp("coalesce(received_at, done_at)", "received_at")},
  ${timestamp("done_at", "ignored_at")}, from_header as from, subject, message_id, mailbox, reason_code as reason,
  coalesce(reason, '') as detail
from mail_ledger where ignored_id is not null order by ignored_id desc limit ${maxIgnored}`
)

export const MailHttp = HttpApiBuilder.group(
  TroupeApi,
  "mail",
  (handlers) => Effect.map(IgnoredMails, ({ list }) => handlers.handle("ignored", () => list))
)
