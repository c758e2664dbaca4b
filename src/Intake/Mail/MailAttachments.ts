import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { Effect, Either } from "effect"
import { contentTypeOf } from "../../File/ContentType.ts"
import { extensions } from "../../File/Documents/DocumentKind.ts"
import type { Sandbox } from "../../File/Sandbox.ts"
import type { MailAttachment } from "../../Wire/MailParser.ts"
import { acceptedKind, type ReceivedFiles, saveFile } from "../ReceivedFiles.ts"

const maxAttachments = 20
const maxShownName = 200

export interface AttachedMail {
  readonly mail: { readonly attachments: ReadonlyArray<MailAttachment> }
  /** Only the beginning was read. */
  readonly isCut: boolean
  /** For its attachments. */
  readonly folder: string
}

/**
 * Writes a mail's attachments to a folder of the mail itself, so that a second attempt writes the same files. Files that
 * an upload could not be are left out.
 */
export const saveAttachments = (
  sandbox: Sandbox["Type"],
  { folder, isCut, mail: { attachments } }: AttachedMail,
  userId: UserId
): Effect.Effect<ReceivedFiles> =>
  Effect.gen(function*() {
    if (isCut) return { paths: [], leftOut: [{ name: "all attachments", reason: "the mail is too large" }] }
    const paths: Array<string> = []
    const leftOut: Array<{ readonly name: string; readonly reason: string }> = []
    const taken = new Set<string>()
    for (const [index, attachment] of attachments.slice(0, maxAttachments).entries()) {
      const name = shownName(attachment, index)
      const saved = yield* Effect.either(saveOne(sandbox, userId, folder, name, attachment.content, taken))
      if (Either.isRight(saved)) paths.push(saved.right)
      else leftOut.push({ name: name.slice(0, maxShownName), reason: saved.left })
    }
    const further = attachments.length - maxAttachments
    if (further > 0) leftOut.push({ name: `${further} more`, reason: `a mail has at most ${maxAttachments}` })
    return { paths, leftOut }
  })

const saveOne = (
  sandbox: Sandbox["Type"],
  userId: UserId,
  folder: string,
  given: string,
  content: Uint8Array,
  taken: Set<string>
): Effect.Effect<string, string> =>
  Effect.gen(function*() {
    const name = yield* fileNameOf(given)
    const kind = yield* acceptedKind(name)
    return yield* saveFile(sandbox, userId, `${folder}/${unique(name, taken)}`, { name, kind, content })
  })

/** The base name that the mail gives, or one by the content type. */
const shownName = ({ contentType, filename }: MailAttachment, index: number): string => {
  const given = filename?.split(/[/\\]/).at(-1)?.trim() ?? ""
  if (given !== "") return given
  const extension = extensions.find((one) => contentTypeOf(`a.${one}`) === contentType)
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
