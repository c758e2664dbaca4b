import * as Tool from "@effect/ai/Tool"
import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { Effect, Either, Option, Schema } from "effect"
import { posix } from "node:path"
import { mailPayloadText, maxAttachedBytes } from "../Delivery/MailChannel.ts"
import { newOutboxId } from "../Delivery/Outbox.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Snapshots } from "../File/Snapshots.ts"
import { type Mail, smtpUnconfigured } from "../Wire/Mail.ts"
import {
  type AgentTool,
  type CallReview,
  orToolFailed,
  type ToolContext,
  ToolFailed,
  type ToolOutcome
} from "./AgentTool.ts"
import { digestOf, type Draft, type DraftFile, questionOf } from "./MailApproval.ts"
import type { MailRecipients } from "./MailRecipients.ts"
import { implement } from "./ToolHandler.ts"

const maxRecipients = 20
const maxAttachments = 10

const addresses = Schema.Union(Schema.String, Schema.Array(Schema.String))

const parameters = {
  to: addresses.annotations({
    description: "Whom it is for: one address, such as ada@example.org or Ada <ada@example.org>, or a list of them"
  }),
  subject: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(300)).annotations({
    description: "The subject, in one line"
  }),
  body: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200_000)).annotations({
    description: "The text, in markdown"
  }),
  cc: Schema.optional(
    addresses.annotations({ description: "Who gets a copy: an address or a list. Default: nobody" })
  ),
  attachments: Schema.optionalWith(
    Schema.Array(Schema.String).annotations({
      description: "Files to attach, relative to the user's folder. Default: none"
    }),
    { default: () => [] }
  )
}

export const SendEmail = Tool.make("send_email", {
  description: "Send an e-mail from this service's address. The body is markdown; it is sent as text and as HTML. It "
    + "is sent at once and can't be recalled: check recipients and content first. Files must exist already. Where an "
    + "address was not named by the user or the team, the user is asked first; if not approved, their answer is the result.",
  parameters
})

/**
 * The mail is written to the outbox in the commit of the call's result, so it is sent once. To an address that nobody has
 * named, it is sent only as a person has approved it.
 */
export const sendEmail = (
  sandbox: Sandbox["Type"],
  snapshots: Snapshots["Type"],
  mail: Pick<Mail["Type"], "sender">,
  recipients: Pick<MailRecipients["Type"], "check">
): AgentTool => {
  const draftOf = (
    { attachments, body, cc, subject, to }: Schema.Schema.Type<typeof SendEmail.parametersSchema>,
    context: ToolContext
  ): Effect.Effect<Draft, ToolFailed> =>
    Effect.gen(function*() {
      if (Option.isNone(mail.sender)) {
        return yield* new ToolFailed({ reason: `${smtpUnconfigured} Nothing was sent. Tell the user.` })
      }
      const addressed = { to: yield* mailboxes("to", to), cc: yield* mailboxes("cc", cc ?? []) }
      yield* checkAddressed(addressed)
      if (/[\p{Cc}\u2028\u2029]/u.test(subject)) {
        return yield* new ToolFailed({ reason: "\"subject\" must be one line without control characters." })
      }
      const files = yield* attached(sandbox, snapshots, context, attachments)
      return { ...addressed, subject, body, attachments: files }
    })
  return implement(SendEmail, {
    changes: "outside",
    effect: "idempotent",
    forSubagents: ["general"],
    timeout: "2 minutes",
    review: (args, context) => Effect.flatMap(draftOf(args, context), (draft) => reviewOf(recipients, draft, context)),
    run: (args, context) =>
      Effect.gen(function*() {
        const draft = yield* draftOf(args, context)
        // A file has changed between the two.
        if (context.reviewed !== undefined && context.reviewed !== digestOf(draft)) return yield* changed
        return yield* queued(draft, context)
      })
  })
}

const changed = new ToolFailed({
  reason: "A file of the mail has changed just now. Nothing was sent. Check the files, then call send_email again."
})

type Addressed = Pick<Draft, "cc" | "to">

const addressesOf = ({ cc, to }: Addressed): ReadonlyArray<string> => [...to, ...cc].map(({ address }) => address)

const checkAddressed = (addressed: Addressed): Effect.Effect<void, ToolFailed> => {
  if (addressed.to.length === 0) return new ToolFailed({ reason: "\"to\" is empty. Name at least one address." })
  return addressesOf(addressed).length > maxRecipients
    ? new ToolFailed({
      reason: `A mail goes to at most ${maxRecipients} addresses. Ask the user before you write to more.`
    })
    : Effect.void
}

const reviewOf = (
  recipients: Pick<MailRecipients["Type"], "check">,
  draft: Draft,
  { taskId }: ToolContext
): Effect.Effect<CallReview> => {
  const files = draft.attachments.map(({ digest, path, size }) => ({ path, size, sha256: digest }))
  return Effect.map(
    recipients.check(taskId, addressesOf(draft), files.map(({ path }) => path)),
    ({ leaves, mayAsk, unexpected }) => ({
      isUnexpected: unexpected.length > 0,
      leaves,
      mayAsk,
      refusal: nobodyToAsk(unexpected.length > 0 ? unexpected : addressesOf(draft)),
      files,
      digest: digestOf(draft),
      question: questionOf(draft, unexpected)
    })
  )
}

const nobodyToAsk = (unexpected: ReadonlyArray<string>): string =>
  `Nothing was sent, because ${
    unexpected.join(", ")
  } may only be written to with a person's approval, and here nobody can `
  + "be asked. A subagent leaves the mail to its parent: return its text. Otherwise say in the result that somebody must "
  + "name the address in a request, or the operator must add its domain to SEND_MAIL_TO."

const queued = (draft: Draft, { taskId, userId }: ToolContext): Effect.Effect<ToolOutcome> =>
  Effect.map(newOutboxId, (id) => ({
    _tag: "Answered",
    content: `The mail to ${addressesOf(draft).join(", ")} is queued as ${id}. It is sent in the background, and again `
      + "if the mail server is not available. Don't send it a second time.",
    outgoing: [{
      id,
      channel: "email",
      recipient: draft.to[0]?.address ?? "",
      kind: "mail",
      user_id: userId,
      task_id: taskId,
      payload: mailPayloadText(draft),
      files: draft.attachments.map(({ digest }) => digest)
    }]
  }))

const mailboxes = (field: string, given: string | ReadonlyArray<string>) =>
  Effect.forEach(
    typeof given === "string" ? [given] : given,
    (text) =>
      Either.mapLeft(mailboxOf(text), (reason) =>
        new ToolFailed({
          reason: `"${field}" has ${JSON.stringify(text.slice(0, 100))}: ${reason}. Several addresses make a list.`
        }))
  ).pipe(Effect.map((all): ReadonlyArray<Mailbox> => [
    ...new Map(all.map((one) => [one.address, one])).values()
  ]))

/** Copies the files as they are now. */
const attached = (
  sandbox: Sandbox["Type"],
  snapshots: Snapshots["Type"],
  { userId }: ToolContext,
  paths: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<DraftFile>, ToolFailed> =>
  Effect.gen(function*() {
    if (paths.length > maxAttachments) {
      return yield* new ToolFailed({ reason: `A mail carries at most ${maxAttachments} files.` })
    }
    let room = maxAttachedBytes
    return yield* Effect.forEach(paths, (path) =>
      Effect.gen(function*() {
        const { size } = yield* orToolFailed(sandbox.stat(userId, path))
        if (size > room) {
          return yield* new ToolFailed({
            reason: `${JSON.stringify(path)} does not fit: the files of a mail have at most ${maxAttachedBytes} bytes.`
          })
        }
        const content = yield* orToolFailed(sandbox.readBytes(userId, path, { maxBytes: room }))
        room -= content.length
        const digest = yield* orToolFailed(snapshots.save(content))
        return { path, filename: posix.basename(posix.normalize(path)), size: content.length, digest }
      }))
  })
