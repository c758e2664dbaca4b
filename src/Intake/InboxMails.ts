import type { SqlError } from "@effect/sql/SqlError"
import { mailboxOf } from "@troupe/domain/Mailbox"
import { Context, Data, Effect, Either, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { type Sender, Senders } from "../People/Senders.ts"
import { TaskTransactions } from "../Task/TaskTransactions.ts"
import type { ImapFailed, OpenMailbox } from "../Wire/Imap.ts"
import { type ParsedMail, parseMail } from "../Wire/MailParser.ts"
import { automaticReason } from "./AutomaticMail.ts"
import { isAuthenticated } from "./MailAuthentication.ts"
import { type MailClaim, MailLedger, type MailOutcome } from "./MailLedger.ts"
import { leave, type MailPlan, MailPlans, type PlanFailed } from "./MailPlans.ts"

export interface InboxRules {
  /** The service's own addresses, in lower case. */
  readonly ownAddresses: ReadonlyArray<string>
  readonly maxPerSender: number
  readonly trustedAuthserv: Option.Option<string>
}

/** Another attempt has taken the mail, so this one rolls back. */
export class Superseded extends Data.TaggedError("Superseded") {
  override readonly message = "Another attempt has taken the mail."
}

/** Enough for the headers, and for most mails as a whole. */
const headBytes = 64 * 1_024
/** Of larger mails only the beginning is read, without attachments. */
export const maxMailBytes = 25 * 1_024 * 1_024
const beginningBytes = 1_024 * 1_024

export const digestOf = (...parts: ReadonlyArray<string | Uint8Array>): string =>
  parts.reduce((hash, part) => hash.update(part).update("\n"), createHash("sha256")).digest("hex")

interface Read {
  readonly mail: ParsedMail
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

/** Processes a mail of the inbox: what it causes and its row of the ledger are one transaction. */
export class InboxMails extends Context.Tag("troupe/Intake/InboxMails")<InboxMails, {
  readonly process: (
    claim: MailClaim,
    mailbox: OpenMailbox
  ) => Effect.Effect<
    { readonly outcome: MailOutcome; readonly reason: string | null },
    ImapFailed | PlanFailed | SqlError | Superseded
  >
}>() {
  static readonly layer = (
    rules: InboxRules
  ): Layer.Layer<InboxMails, never, MailLedger | MailPlans | Senders | TaskTransactions> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const ledger = yield* MailLedger
        const plans = yield* MailPlans
        const senders = yield* Senders
        const transactions = yield* TaskTransactions

        const settle = (claim: MailClaim, plan: MailPlan, keys: Keys = noKeys) =>
          transactions.run(
            Effect.zipRight(
              plan.act,
              Effect.filterOrFail(ledger.finish(claim, { ...plan, ...keys }), (isCurrent) => isCurrent, () =>
                new Superseded())
            )
          ).pipe(Effect.as({ outcome: plan.outcome, reason: plan.reason }))

        const read = Effect.fnUntraced(function*(uid: number, mailbox: OpenMailbox) {
          const head = yield* mailbox.read(uid, headBytes)
          if (Option.isNone(head)) return Option.none<Read>()
          const { bytes, size } = head.value
          const first = yield* parseMail(bytes)
          // Mails of programs are not loaded.
          if (size <= bytes.length || automaticIn(first, rules) !== null) {
            return Option.some<Read>({ mail: first, bytes, isCut: false })
          }
          const isCut = size > maxMailBytes
          const whole = yield* mailbox.read(uid, isCut ? beginningBytes : size)
          return yield* Effect.transposeMapOption(
            whole,
            ({ bytes }): Effect.Effect<Read, Effect.Effect.Error<ReturnType<typeof parseMail>>> =>
              Effect.map(parseMail(bytes), (mail) => ({ mail, bytes, isCut }))
          )
        })

        const planOf = Effect.fnUntraced(
          function*({ isCut, mail }: Read, address: string, { messageKey, senderKey }: Keys) {
            if (messageKey !== null && (yield* ledger.isKnown(messageKey))) {
              return leave("duplicate", "it arrived before")
            }
            const domain = address.slice(address.indexOf("@") + 1)
            const { trustedAuthserv } = rules
            if (Option.isSome(trustedAuthserv) && !isAuthenticated(mail.headers, trustedAuthserv.value, domain)) {
              return leave("refused", `${trustedAuthserv.value} has not authenticated its sender`)
            }
            const known = yield* senders.find(address)
            const mayMakeTask = Effect.map(
              ledger.tasksWithinHour(senderKey ?? ""),
              (tasks) => tasks < rules.maxPerSender
            )
            const content = { address, mail, isCut, folder: `mail/${(messageKey ?? "").slice(0, 16)}`, mayMakeTask }
            const reply = yield* plans.reply(content, known)
            if (Option.isSome(reply)) return reply.value
            if (!(yield* mayMakeTask)) {
              return leave("refused", `its sender has made ${rules.maxPerSender} tasks within an hour`)
            }
            const sender: Option.Option<Sender> = Option.isSome(known) ? known : yield* Effect.transposeMapOption(
              senders.create,
              (create) => create(address, Option.match(mail.from, { onNone: () => "", onSome: ({ name }) => name }))
            )
            return Option.isNone(sender)
              ? leave("refused", "its sender is not a member of the team")
              : yield* plans.task(content, sender.value)
          }
        )

        const process: InboxMails["Type"]["process"] = Effect.fn("InboxMails.process")(function*(claim, mailbox) {
          const found = yield* Effect.either(read(claim.uid, mailbox))
          if (Either.isLeft(found)) {
            const failure = found.left
            return failure._tag === "ImapFailed"
              ? yield* failure
              : yield* settle(claim, leave("failed", failure.reason))
          }
          if (Option.isNone(found.right)) return yield* settle(claim, leave("ignored", "it was deleted"))
          const { bytes, mail } = found.right.value
          const automatic = automaticIn(mail, rules)
          if (automatic !== null) return yield* settle(claim, leave("ignored", automatic))
          const address = addressOf(mail)
          if (address === null) {
            return yield* settle(claim, leave("refused", "it names no single sender with a usable address"))
          }
          const keys = {
            messageKey: digestOf(mail.messageId ?? digestOf(bytes), address),
            senderKey: digestOf("sender", address)
          }
          return yield* settle(claim, yield* planOf(found.right.value, address, keys), keys)
        })
        return InboxMails.of({ process })
      })
    )
}

interface Keys {
  readonly messageKey: string | null
  readonly senderKey: string | null
}

const noKeys: Keys = { messageKey: null, senderKey: null }

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
