import * as Tool from "@effect/ai/Tool"
import { type Mailbox, mailboxOf } from "@troupe/domain/Mailbox"
import { Effect, Either, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { posix } from "node:path"
import { mailTextOf } from "../Delivery/MailText.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Delivery, Mail } from "../Wire/Mail.ts"
import { type AgentTool, type ToolContext, ToolFailed } from "./AgentTool.ts"
import { orToolFailed } from "./Refusal.ts"
import { implement } from "./ToolHandler.ts"
import { outside } from "./ToolHints.ts"

const maxRecipients = 20
const maxAttachments = 10
/** What most servers accept; encoding adds a third. */
const maxAttachedBytes = 15 * 1_024 * 1_024

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
}).annotateContext(outside)

export const sendEmail = (sandbox: Sandbox["Type"], mail: Mail["Type"]): AgentTool =>
  implement(SendEmail, {
    timeout: "2 minutes",
    run: ({ attachments, body, cc, subject, to }, context) =>
      Effect.gen(function*() {
        const recipients = yield* mailboxes("to", to)
        const copies = yield* mailboxes("cc", cc ?? [])
        if (recipients.length === 0) {
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
        const files = yield* attached(sandbox, context, attachments)
        const delivery = yield* mail.send({
          id: mailIdOf(context),
          to: recipients,
          cc: copies,
          subject,
          ...mailTextOf(body),
          attachments: files,
          answers: Option.none()
        }).pipe(Effect.mapError(({ kind, reason }) => new ToolFailed({ reason: `${reason} ${advice[kind]}` })))
        return resultOf(delivery)
      })
  })

const advice = {
  unconfigured: "Nothing was sent. Tell the user.",
  refused: "Nothing was sent. Correct it, or tell the user.",
  unavailable: "Nothing was sent.",
  uncertain: "Do not send it again before you know: tell the user."
} as const

/** The same for a repeated call, so that a server can recognise a duplicate. */
const mailIdOf = ({ callId, taskId }: ToolContext): string =>
  `${taskId}.${createHash("sha256").update(callId).digest("hex").slice(0, 16)}`

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

const attached = (sandbox: Sandbox["Type"], { userId }: ToolContext, paths: ReadonlyArray<string>) =>
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
        return { filename: posix.basename(posix.normalize(path)), content }
      }))
  })

const resultOf = ({ accepted, messageId, refused }: Delivery): string =>
  [
    `Sent to ${accepted.join(", ")} as ${messageId}.`,
    ...refused.map(({ address, reason }) => `Not sent to ${address}, whom the server refused: ${reason}`)
  ].join("\n")
