import type { NotAllowed } from "@troupe/domain/Caller"
import type { IgnoredMailReason } from "@troupe/domain/IgnoredMail"
import type { TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { Effect } from "effect"
import type { ParsedMail } from "../../Wire/MailParser.ts"
import type { NotTaken } from "./MailAdmission.ts"
import type { AttachedMail } from "./MailAttachments.ts"
import type { MailOutcome } from "./MailLedger.ts"

/** Plan for a mail; `act` commits together with the inbound row. */
export interface MailPlan {
  readonly outcome: MailOutcome
  /** Why it is not taken; null: it is. */
  readonly code: IgnoredMailReason | null
  readonly reason: string | null
  readonly act: Effect.Effect<unknown, PlanFailed>
}

export type PlanFailed = TaskRequestInvalid | TaskNotFound | TaskStateConflict | NotAllowed

/** A mail that is not taken is listed with the reason. */
export const leave = (
  outcome: "duplicate" | "ignored" | "refused" | "failed",
  { code, words }: NotTaken
): MailPlan => ({ outcome, code, reason: words, act: Effect.void })

export const saidNothing: NotTaken = { code: "empty", words: "it has no text of its own, no file and no subject" }

export interface AuthoredMail extends AttachedMail {
  /** Of the author, in lower case. */
  readonly address: string
  readonly mail: ParsedMail
}
