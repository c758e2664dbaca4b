import type { SqlError } from "@effect/sql/SqlError"
import { mailboxOf } from "@troupe/domain/Mailbox"
import { Context, Data, type Duration, Effect, Either, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { type Sender, Senders } from "../../People/Senders.ts"
import type { GuardedProcessFailed } from "../../Runtime/GuardedProcess.ts"
import type { ThreadTask } from "../../Task/TaskThreads.ts"
import { TaskTransactions } from "../../Task/TaskTransactions.ts"
import type { ImapFailed, OpenMailbox } from "../../Wire/Imap.ts"
import type { ParsedMail } from "../../Wire/MailParser.ts"
import { readMail } from "../../Wire/MailReading.ts"
import { automaticReason, isAuthenticated } from "./MailAdmission.ts"
import { type MailClaim, MailLedger, type MailOutcome, type MailScope } from "./MailLedger.ts"
import { leave, type MailPlan, MailPlans, type PlanFailed } from "./MailPlans.ts"
import { RecipientReplies } from "./RecipientReplies.ts"

export interface InboxRules {
  /** The service's own addresses, in lower case. */
  readonly ownAddresses: ReadonlyArray<string>
  /** Mails that are processed in an hour: of one sender, of all unknown senders, and in all. */
  readonly maxPerSender: number
  readonly maxUnknown: number
  readonly maxPerHour: number
  readonly trustedAuthserv: Option.Option<string>
}

export class Superseded extends Data.TaggedError("Superseded") {
  override readonly message = "Another attempt has claimed the mail."
}

/** The mails of the scope have reached the hourly limit. */
export class Postponed extends Data.TaggedError("Postponed")<{
  readonly scope: MailScope
  readonly pause: Duration.Duration
}> {
  override get message() {
    return `the mails ${scopes[this.scope].which} have reached the hourly limit of ${scopes[this.scope].setting}`
  }
}

const scopes: Record<MailScope, { readonly which: string; readonly setting: string }> = {
  sender: { which: "of its sender", setting: "INBOX_MAX_PER_SENDER" },
  unknown: { which: "of unknown senders", setting: "INBOX_MAX_UNKNOWN" },
  inbox: { which: "of all senders", setting: "INBOX_MAX_PER_HOUR" }
}

/** Enough for the headers, and for most mails as a whole. */
const headBytes = 64 * 1_024
/** Of larger mails only the beginning is read, without attachments. */
const maxMailBytes = 25 * 1_024 * 1_024
const beginningBytes = 1_024 * 1_024

const digestOf = (...parts: ReadonlyArray<string | Uint8Array>): string =>
  parts.reduce((hash, part) => hash.update(part).update("\n"), createHash("sha256")).digest("hex")

/** Processes a mail of the inbox: what it causes and its row of the ledger are one transaction. */
export class InboxMails extends Context.Tag("troupe/Intake/Mail/InboxMails")<InboxMails, {
  readonly process: (
    claim: MailClaim,
    mailbox: OpenMailbox
  ) => Effect.Effect<
    { readonly outcome: MailOutcome; readonly reason: string | null },
    GuardedProcessFailed | ImapFailed | PlanFailed | Postponed | SqlError | Superseded
  >
}>() {
  static readonly layer = (
    rules: InboxRules
  ): Layer.Layer<InboxMails, never, MailLedger | MailPlans | RecipientReplies | Senders | TaskTransactions> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const ledger = yield* MailLedger
        const plans = yield* MailPlans
        const outside = yield* RecipientReplies
        const senders = yield* Senders
        const transactions = yield* TaskTransactions

        const settle = (claim: MailClaim, plan: MailPlan, keys: Keys = noKeys) =>
          transactions.run(
            Effect.zipRight(
              plan.act,
              Effect.filterOrFail(ledger.finish(claim, { ...plan, ...keys }), (isCurrent) =>
                isCurrent, () =>
                new Superseded())
            )
          ).pipe(Effect.as({ outcome: plan.outcome, reason: plan.reason }))

        const within = Effect.fnUntraced(function*(scope: MailScope, senderKey: string, limit: number) {
          const pause = yield* ledger.pauseOf(scope, senderKey, limit)
          if (Option.isSome(pause)) return yield* new Postponed({ scope, pause: pause.value })
        })

        const admit = Effect.fnUntraced(function*(mail: ParsedMail, bytes: Uint8Array) {
          const automatic = automaticIn(mail, rules)
          if (automatic !== null) return left(leave("ignored", automatic))
          const address = addressOf(mail)
          if (address === null) return left(leave("refused", "it names no single sender with a usable address"))
          const keys = {
            messageKey: digestOf(mail.messageId ?? digestOf(bytes), address),
            senderKey: digestOf("sender", withoutTag(address)),
            isUnknown: false
          }
          if (yield* ledger.isKnown(keys.messageKey)) return left(leave("duplicate", "it arrived before"), keys)
          const domain = address.slice(address.indexOf("@") + 1)
          const { trustedAuthserv } = rules
          if (Option.isSome(trustedAuthserv) && !isAuthenticated(mail.headers, trustedAuthserv.value, domain)) {
            return left(leave("refused", `${trustedAuthserv.value} has not authenticated its sender`), keys)
          }
          const sender = yield* senders.find(address)
          const addressed = yield* outside.find(mail.references, address)
          if (Option.isNone(sender) && Option.isNone(senders.create) && Option.isNone(addressed)) {
            return left(leave("refused", "its sender is not a member of the team"), keys)
          }
          const isUnknown = !Option.exists(sender, ({ isKnown }) => isKnown) && Option.isNone(addressed)
          yield* within("inbox", keys.senderKey, rules.maxPerHour)
          if (isUnknown) yield* within("unknown", keys.senderKey, rules.maxUnknown)
          yield* within("sender", keys.senderKey, rules.maxPerSender)
          return Either.right<Admitted>({ address, addressed, keys: { ...keys, isUnknown }, sender })
        })

        const planOf = Effect.fnUntraced(function*(
          { isCut, mail }: { readonly mail: ParsedMail; readonly isCut: boolean },
          { address, addressed, keys, sender }: Admitted
        ) {
          const content = { address, mail, isCut, folder: `mail/${keys.messageKey.slice(0, 16)}` }
          const reply = yield* plans.reply(content, sender)
          if (Option.isSome(addressed) && (Option.isNone(reply) || reply.value.outcome === "refused")) {
            return yield* outside.plan(content, addressed.value)
          }
          if (Option.isSome(reply)) return reply.value
          const author: Option.Option<Sender> = Option.isSome(sender) ? sender : yield* Effect.transposeMapOption(
            senders.create,
            (create) => create(address, Option.match(mail.from, { onNone: () => "", onSome: ({ name }) => name }))
          )
          return Option.isNone(author)
            ? leave("refused", "its sender is not a member of the team")
            : yield* plans.task(content, author.value)
        })

        const read = Effect.fnUntraced(function*(uid: number, mailbox: OpenMailbox) {
          const head = yield* mailbox.read(uid, headBytes)
          if (Option.isNone(head)) return left(leave("ignored", "it was deleted"))
          const { bytes, size } = head.value
          const first = yield* readMail(bytes)
          const admitted = yield* admit(first, bytes)
          // Of a mail over the limit, no more is loaded.
          if (Either.isLeft(admitted)) return Either.left(admitted.left)
          if (size <= bytes.length) {
            return Either.right({
              plan: yield* planOf({ mail: first, isCut: false }, admitted.right),
              ...admitted.right
            })
          }
          const isCut = size > maxMailBytes
          const whole = yield* mailbox.read(uid, isCut ? beginningBytes : size)
          if (Option.isNone(whole)) return left(leave("ignored", "it was deleted"))
          const mail = yield* readMail(whole.value.bytes)
          const again = yield* admit(mail, whole.value.bytes)
          return Either.isLeft(again)
            ? Either.left(again.left)
            : Either.right({ plan: yield* planOf({ mail, isCut }, again.right), ...again.right })
        })

        const process: InboxMails["Type"]["process"] = Effect.fn("InboxMails.process")(function*(claim, mailbox) {
          const { keys, plan } = yield* read(claim.uid, mailbox).pipe(
            Effect.map(Either.merge),
            Effect.catchTag(
              "MailUnreadable",
              ({ reason }) => Effect.succeed({ plan: leave("failed", reason), keys: noKeys })
            )
          )
          return yield* settle(claim, plan, keys)
        })
        return InboxMails.of({ process })
      })
    )
}

interface Keys {
  readonly messageKey: string | null
  readonly senderKey: string | null
  readonly isUnknown: boolean
}

const noKeys: Keys = { messageKey: null, senderKey: null, isUnknown: false }

interface Admitted {
  readonly address: string
  readonly keys: Keys & { readonly messageKey: string }
  readonly sender: Option.Option<Sender>
  /** The task with a mail to the sender that this one answers. */
  readonly addressed: Option.Option<ThreadTask>
}

const left = (plan: MailPlan, keys: Keys = noKeys) => Either.left({ plan, keys })

/** `ada+news@example.net` is the mailbox of `ada@example.net`. */
const withoutTag = (address: string): string => address.replace(/^([^+@]+)\+[^@]*(?=@)/, "$1")

const addressOf = ({ from }: ParsedMail): string | null =>
  Option.match(from, {
    onNone: () => null,
    onSome: ({ address }) => Either.getOrNull(Either.map(mailboxOf(address), (one) => one.address.toLowerCase()))
  })

const automaticIn = (mail: ParsedMail, { ownAddresses }: InboxRules): string | null =>
  automaticReason(
    {
      headers: mail.headers,
      address: Option.match(mail.from, { onNone: () => "", onSome: ({ address }) => address.toLowerCase() })
    },
    ownAddresses
  )
