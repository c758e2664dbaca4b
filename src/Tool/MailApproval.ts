import { mailChoices } from "@troupe/domain/Approval"
import { shownMail } from "@troupe/domain/AskedText"
import type { Mailbox } from "@troupe/domain/Mailbox"
import { visibleLine } from "@troupe/domain/VisibleSigns"
import { createHash } from "node:crypto"

export interface DraftFile {
  /** In the user's folder, as the call names it. */
  readonly path: string
  readonly filename: string
  readonly size: number
  /** Of its content. */
  readonly digest: string
}

/** A mail as a call would send it. */
export interface Draft {
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly body: string
  readonly attachments: ReadonlyArray<DraftFile>
}

const namesOf = (mailboxes: ReadonlyArray<Mailbox>) => mailboxes.map(({ address, name }) => [address, name])

/** Equal only for mails with the same recipients, texts and contents of files. */
export const digestOf = ({ attachments, body, cc, subject, to }: Draft): string =>
  createHash("sha256").update(JSON.stringify([
    namesOf(to),
    namesOf(cc),
    subject,
    body,
    attachments.map(({ digest, filename, path }) => [path, filename, digest])
  ])).digest("hex")

/** As preformatted text of markdown: nothing in it is markup, or passes for a line of the question. */
export const literal = (lines: ReadonlyArray<string>): string => lines.map((line) => `    ${line}`).join("\n")

const labelled = (label: string, values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.map((value, index) => `${(index === 0 ? `${label}:` : "").padEnd(13)}${value}`)

const mailboxText = ({ address, name }: Mailbox): string =>
  name === "" ? address : `${address} (named ${visibleLine(name)})`

const fileText = ({ path, size }: DraftFile): string => `${visibleLine(path)} (${size} bytes)`

/** Asks a person whether the mail may be sent. Recipients and files are complete, and come before the model's text. */
export const questionOf = (
  { attachments, body, cc, subject, to }: Draft,
  unexpected: ReadonlyArray<string>
): string =>
  [
    ...(unexpected.length === 0
      ? ["May this mail be sent?"]
      : [
        "May this mail be sent? Neither you nor your team have named all of its recipients in this task. New:",
        literal(unexpected)
      ]),
    "The mail:",
    literal([
      ...labelled("To", to.map(mailboxText)),
      ...labelled("Cc", cc.map(mailboxText)),
      ...labelled("Attachments", attachments.length === 0 ? ["none"] : attachments.map(fileText)),
      ...labelled("Subject", [visibleLine(subject)])
    ]),
    `Its text, of ${body.length} characters:`,
    literal(shownMail(body).split("\n")),
    `It is sent if you answer ${mailChoices[0]} and nothing else. The agent reads any other answer.`
  ].join("\n\n")
