import { mailboxOf } from "@troupe/domain/Mailbox"
import { Data, type Duration, Effect, Either, Option } from "effect"
import { Senders } from "../../People/Team/Senders.ts"
import { orSuperseded } from "../../Queue/AttemptFailed.ts"
import { TaskTransactions } from "../../Task/Command/TaskTransactions.ts"
import { TaskThreads } from "../../Task/Read/TaskThreads.ts"
import type { MailSource, OpenMailbox } from "../../Wire/Imap.ts"
import type { ParsedMail } from "../../Wire/MailParser.ts"
import { readMail } from "../../Wire/MailReading.ts"
import { makeGuestReplies } from "./GuestReplies.ts"
import { automaticReason, automaticTextReason, isAuthenticated, type NotTaken } from "./MailAdmission.ts"
import { dateOf, digestOf, earlierIdentityOf, identityOf } from "./MailIdentity.ts"
import { type MailClaim, type MailKeys, type MailScope, makeMailLedger, noKeys } from "./MailLedger.ts"
import { leave, type MailPlan } from "./MailPlan.ts"
import { makeMailPlans } from "./MailPlans.ts"
import { noSummary, summaryOf } from "./MailSummary.ts"

export interface InboxRules {
  /** The service's own addresses, in lower case. */
  readonly ownAddresses: ReadonlyArray<string>
  /** Mails that are processed in an hour: of one sender, of all unknown senders, and in all. */
  readonly maxPerSender: number
  readonly maxUnknown: number
  readonly maxPerHour: number
  readonly trustedAuthserv: Option.Option<string>
  /** Where people open the console; null: nowhere that is known. */
  readonly console: URL | null
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
export const headBytes = 64 * 1_024
/** Of larger mails only the beginning is read, without attachments. */
const maxMailBytes = 25 * 1_024 * 1_024
const beginningBytes = 1_024 * 1_024

/** Processes a mail of the inbox; its effect and its row of the ledger commit in one transaction. */
export const makeProcessMail = (rules: InboxRules) =>
  Effect.gen(function*() {
    const ledger = yield* makeMailLedger
    const plans = yield* makeMailPlans(rules)
    const planOfRecipientReply = yield* makeGuestReplies
    const senders = yield* Senders
    const threads = yield* TaskThreads
    const transactions = yield* TaskTransactions

    const within = Effect.fnUntraced(function*(scope: MailScope, senderKey: string, limit: number) {
      const pause = yield* ledger.pauseOf(scope, senderKey, limit)
      if (Option.isSome(pause)) return yield* new Postponed({ scope, pause: pause.value })
    })

    const admit = Effect.fnUntraced(function*(mail: ParsedMail, bytes: Uint8Array) {
      const author = Option.match(mail.from, { onNone: () => "", onSome: ({ address }) => address })
      const automatic = automaticReason(
        { headers: mail.headers, address: author.toLowerCase() },
        rules.ownAddresses
      )
      // What comes through a list is a person's all the same if it answers a task.
      if (
        automatic !== null
        && (automatic.code !== "list" || Option.isNone(yield* threads.find("email", mail.references)))
      ) return yield* declined("ignored", automatic)
      const mailbox = mailboxOf(author)
      if (Either.isLeft(mailbox)) {
        return yield* declined("refused", {
          code: "no_sender",
          words: "it names no single sender with a usable address"
        })
      }
      const address = mailbox.right.address.toLowerCase()
      const keys = {
        messageKey: identityOf(mail, address),
        senderKey: digestOf("sender", withoutTag(address)),
        isUnknown: false
      }
      if (yield* ledger.isKnown(keys.messageKey, earlierIdentityOf(mail, bytes, address), dateOf(mail))) {
        return yield* declined("duplicate", { code: "duplicate", words: "it arrived before" }, keys)
      }
      const domain = address.slice(address.indexOf("@") + 1)
      const { trustedAuthserv } = rules
      if (Option.isSome(trustedAuthserv) && !isAuthenticated(mail.headers, trustedAuthserv.value, domain)) {
        return yield* declined("refused", {
          code: "unauthenticated",
          words: `${trustedAuthserv.value} has not authenticated its sender`
        }, keys)
      }
      const sender = yield* senders.find(address)
      const addressed = yield* threads.findAddressed(mail.references, address)
      if (Option.isNone(sender) && Option.isNone(senders.create) && Option.isNone(addressed)) {
        return yield* declined("refused", unknownSender, keys)
      }
      const isUnknown = !Option.exists(sender, ({ isKnown }) => isKnown) && Option.isNone(addressed)
      yield* within("inbox", keys.senderKey, rules.maxPerHour)
      if (isUnknown) yield* within("unknown", keys.senderKey, rules.maxUnknown)
      yield* within("sender", keys.senderKey, rules.maxPerSender)
      return { address, addressed, keys: { ...keys, isUnknown }, sender }
    })

    const planOf = Effect.fnUntraced(function*(
      mail: ParsedMail,
      isCut: boolean,
      { address, addressed, keys, sender }: Effect.Effect.Success<ReturnType<typeof admit>>
    ) {
      const automatic = automaticTextReason(mail)
      if (automatic !== null) return leave("ignored", automatic)
      const content = { address, mail, isCut, folder: `mail/${keys.messageKey.slice(0, 16)}` }
      const reply = yield* plans.reply(content, sender)
      if (Option.isSome(addressed) && (Option.isNone(reply) || reply.value.outcome === "refused")) {
        return yield* planOfRecipientReply(content, addressed.value)
      }
      if (Option.isSome(reply)) return reply.value
      const author = Option.isSome(sender) ? sender : yield* Effect.transposeMapOption(
        senders.create,
        (create) => create(address, Option.match(mail.from, { onNone: () => "", onSome: ({ name }) => name }))
      )
      return Option.isNone(author)
        ? leave("refused", unknownSender)
        : yield* plans.task(content, author.value)
    })

    const read = Effect.fnUntraced(function*(uid: number, mailbox: OpenMailbox, begin: MailSource) {
      const first = yield* readMail(begin.bytes)
      // Of a mail over the limit, no more is loaded.
      const admitted = yield* admit(first, begin.bytes)
      if (begin.size <= begin.bytes.length) {
        return { plan: yield* planOf(first, false, admitted), keys: admitted.keys }
      }
      const isCut = begin.size > maxMailBytes
      const whole = yield* Effect.flatten(mailbox.read(uid, isCut ? beginningBytes : begin.size))
      const mail = yield* readMail(whole.bytes)
      const again = yield* admit(mail, whole.bytes)
      return { plan: yield* planOf(mail, isCut, again), keys: again.keys }
    })

    return Effect.fn("InboxMails.process")(function*(claim: MailClaim, mailbox: OpenMailbox) {
      const begin = yield* mailbox.read(claim.uid, headBytes)
      const { keys, plan } = yield* Effect.flatMap(begin, (source) => read(claim.uid, mailbox, source)).pipe(
        Effect.catchTag("NoSuchElementException", () => declined("ignored", deleted)),
        Effect.catchTag("MailUnreadable", ({ reason }) => declined("failed", { code: "unreadable", words: reason })),
        Effect.catchTag("Declined", Effect.succeed)
      )
      const summary = plan.code === null ? noSummary : yield* summaryOf(begin)
      yield* transactions.run(Effect.zipRight(
        plan.act,
        orSuperseded(ledger.finish(claim, { ...plan, ...keys }, summary))
      ))
      return plan
    })
  })

/** The mail causes nothing. */
class Declined extends Data.TaggedError("Declined")<{ readonly plan: MailPlan; readonly keys: MailKeys }> {}

const declined = (outcome: Parameters<typeof leave>[0], why: NotTaken, keys: MailKeys = noKeys) =>
  new Declined({ plan: leave(outcome, why), keys })

const deleted: NotTaken = { code: "deleted", words: "it was deleted before it was read" }

const unknownSender: NotTaken = { code: "unknown_sender", words: "its sender is not a member of the team" }

/** `ada+news@example.net` is the mailbox of `ada@example.net`. */
const withoutTag = (address: string): string => address.replace(/^([^+@]+)\+[^@]*(?=@)/, "$1")
