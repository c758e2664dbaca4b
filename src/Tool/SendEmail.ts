import * as Tool from "@effect/ai/Tool"
import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { Effect, Either, Option, Schema } from "effect"
import { posix } from "node:path"
import { mailPayloadText, maxAttachedBytes } from "../Delivery/MailChannel.ts"
import { newOutboxId } from "../Delivery/Outbox.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Snapshots } from "../File/Snapshots.ts"
import { type Mail, smtpUnconfigured } from "../Wire/Mail.ts"
import { type AgentTool, orToolFailed, type ToolContext, ToolFailed } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"
import { idempotent } from "./ToolHints.ts"

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

const SendEmail = Tool.make("send_email", {
  description: "Send an e-mail from this service's address. The body is markdown; it is sent as text and as HTML. It "
    + "is sent at once and can't be recalled: check recipients and content first. Files must exist already.",
  parameters
}).annotateContext(idempotent)

/** The mail is written to the outbox in the commit of the call's result, so it is sent once. */
export const sendEmail = (
  sandbox: Sandbox["Type"],
  snapshots: Snapshots["Type"],
  { sender }: Pick<Mail["Type"], "sender">
): AgentTool =>
  implement(SendEmail, {
    timeout: "2 minutes",
    run: ({ attachments, body, cc, subject, to }, context) =>
      Effect.gen(function*() {
        if (Option.isNone(sender)) {
          return yield* new ToolFailed({ reason: `${smtpUnconfigured} Nothing was sent. Tell the user.` })
        }
        const recipients = yield* mailboxes("to", to)
        const copies = yield* mailboxes("cc", cc ?? [])
        const [first] = recipients
        if (first === undefined) {
          return yield* new ToolFailed({ reason: "\"to\" is empty. Name at least one address." })
        }
        if (recipients.length + copies.length > maxRecipients) {
          return yield* new ToolFailed({
            reason: `A mail goes to at most ${maxRecipients} addresses. Ask the user before you write to more.`
          })
        }
        if (/[\p{Cc}\u2028\u2029]/u.test(subject)) {
          return yield* new ToolFailed({ reason: "\"subject\" must be one line without control characters." })
        }
        const files = yield* attached(sandbox, snapshots, context, attachments)
        const id = yield* newOutboxId
        const addresses = [...recipients, ...copies].map(({ address }) => address).join(", ")
        return {
          _tag: "Answered",
          content: `The mail to ${addresses} is queued as ${id}. It is sent in the background, and again if the mail `
            + "server is not available. Don't send it a second time.",
          outgoing: [{
            id,
            channel: "email",
            recipient: first.address,
            kind: "mail",
            userId: context.userId,
            taskId: context.taskId,
            payload: mailPayloadText({ to: recipients, cc: copies, subject, body, attachments: files }),
            files: files.map(({ digest }) => digest)
          }]
        }
      })
  })

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
) =>
  Effect.gen(function*() {
    if (paths.length > maxAttachments) {
      return yield* new ToolFailed({ reason: `A mail carries at most ${maxAttachments} files.` })
    }
    let room = maxAttachedBytes
    return yield* Effect.forEach(paths, (path) =>
      Effect.gen(function*() {
        const { size } = yield* orToolFailed(sandbox.statFile(userId, path))
        if (size > room) {
          return yield* new ToolFailed({
            reason: `${JSON.stringify(path)} does not fit: the files of a mail have at most ${maxAttachedBytes} bytes.`
          })
        }
        const content = yield* orToolFailed(sandbox.readBytes(userId, path, { maxBytes: room }))
        room -= content.length
        const digest = yield* orToolFailed(snapshots.save(content))
        return { filename: posix.basename(posix.normalize(path)), digest }
      }))
  })
