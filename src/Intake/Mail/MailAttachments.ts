import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { extensionFor } from "../../File/Documents/DocumentKind.ts"
import type { Sandbox } from "../../File/Sandbox.ts"
import type { MailAttachment } from "../../Wire/MailParser.ts"
import { type ReceivedFiles, receiveFiles } from "../ReceivedFiles.ts"

const maxAttachments = 20

export interface AttachedMail {
  readonly mail: { readonly attachments: ReadonlyArray<MailAttachment> }
  /** Only the beginning was read. */
  readonly isCut: boolean
  /** For its attachments. */
  readonly folder: string
}

/** Saves a mail's attachments to a folder of the mail itself. */
export const saveAttachments = (
  sandbox: Sandbox["Type"],
  { folder, isCut, mail: { attachments } }: AttachedMail,
  userId: UserId
): Effect.Effect<ReceivedFiles> => {
  if (isCut) {
    return Effect.succeed({ paths: [], leftOut: [{ name: "all attachments", reason: "the mail is too large" }] })
  }
  const taken = new Set<string>()
  const files = attachments.slice(0, maxAttachments).map((attachment, index) => ({
    name: nameOf(attachment, index),
    pathOf: (name: string) => `${folder}/${unique(name, taken)}`,
    content: Effect.succeed(attachment.content)
  }))
  const further = attachments.length - maxAttachments
  return Effect.map(receiveFiles(sandbox, userId, files), ({ leftOut, paths }) => ({
    paths,
    leftOut: further > 0
      ? [...leftOut, { name: `${further} more`, reason: `a mail has at most ${maxAttachments}` }]
      : leftOut
  }))
}

/** The base name that the mail gives, or one by the content type. */
const nameOf = ({ contentType, filename }: MailAttachment, index: number): string => {
  const given = filename?.split(/[/\\]/).at(-1)?.trim() ?? ""
  if (given !== "") return given
  const extension = extensionFor(contentType)
  return `attachment-${index + 1}${extension === undefined ? "" : `.${extension}`}`
}

const unique = (name: string, taken: Set<string>): string => {
  const at = name.lastIndexOf(".")
  for (let n = 1;; n++) {
    const tried = n === 1 ? name : `${name.slice(0, at)}-${n}${name.slice(at)}`
    if (taken.has(tried.toLowerCase())) continue
    taken.add(tried.toLowerCase())
    return tried
  }
}
