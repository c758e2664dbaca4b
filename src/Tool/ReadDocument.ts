import type { UserId } from "@troupe/domain/Ids"
import { Effect, Schema } from "effect"
import { type Documents, maxDocumentBytes } from "../File/Documents/Documents.ts"
import type { DocumentUnreadable } from "../File/Documents/DocumentUnreadable.ts"
import { imageTypeOf, readImage } from "../File/Images.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Model } from "../Model/Model.ts"
import { define } from "./Definition.ts"
import { orToolFailed } from "./Refusal.ts"
import { type Tool, ToolFailed, type ToolOutcome } from "./Tool.ts"

const maxChars = 262_144

const parameters = Schema.Struct({
  path: Schema.String.annotations({ description: "The document, relative to the user's folder" }),
  offset: Schema.optionalWith(
    Schema.Int.pipe(Schema.nonNegative()).annotations({
      description: "The first line of its text to read, from 0. Default: 0"
    }),
    { default: () => 0 }
  ),
  limit: Schema.optional(
    Schema.Int.pipe(Schema.positive()).annotations({ description: "How many lines to read. Default: all" })
  )
})

/** read_document: the text of a document of the user's sandbox, or some lines of it. */
export const readDocument = (sandbox: Sandbox["Type"], documents: Documents["Type"], model: Model["Type"]): Tool =>
  define({
    name: "read_document",
    description: "Read a document of the user's files as text: PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), "
      + ".txt, .md, .json and .csv; or look at a picture (.png, .jpg, .gif, .webp). Marks such as [Page 2 of 9], [Slide 2] and [Sheet \"Costs\"] tell where its parts "
      + "begin. Give offset and limit (in lines of that text) to read a long document piece by piece.",
    parameters,
    effect: "read",
    // Longer than a document may wait and be processed.
    timeout: "90 seconds",
    run: ({ limit, offset, path }, { userId }) =>
      Effect.gen(function*() {
        if (imageTypeOf(path) !== undefined) return yield* pictureOf(sandbox, model, userId, path)
        const bytes = orToolFailed(sandbox.readBytes(userId, path, { maxBytes: maxDocumentBytes }))
        const window = yield* orPlainError(
          path,
          documents.text(path, bytes, { offset, limit: limit ?? Number.MAX_SAFE_INTEGER, maxChars })
        )
        const { cut, lines, text, total } = window
        if (total === 0) return "[The document has no text.]"
        if (lines === 0) return `[The document ends before line ${offset}: it has ${total} lines, counted from 0.]`
        const next = offset + lines
        if (cut) return `${text}\n[Line ${offset} is cut here. Continue with offset ${next} of ${total} lines.]`
        return next < total ? `${text}\n[The document goes on: continue with offset ${next} of ${total} lines.]` : text
      })
  })

/** A result carries no picture: the model gets it in the message that follows the results, if it can see. */
const pictureOf = (
  sandbox: Sandbox["Type"],
  model: Model["Type"],
  userId: UserId,
  path: string
): Effect.Effect<ToolOutcome, ToolFailed> =>
  Effect.gen(function*() {
    const { path: real } = yield* orToolFailed(sandbox.stat(userId, path))
    const { bytes, digest, mediaType } = yield* readImage(sandbox, userId, path).pipe(
      Effect.catchTag("DocumentUnreadable", (unreadable) => orPlainError(path, unreadable)),
      Effect.catchTag("SandboxRefused", orToolFailed)
    )
    const what = `This is a picture (${mediaType}, ${bytes.length} bytes).`
    if (!model.sees(mediaType)) {
      return {
        _tag: "Answered",
        content: `[${what} This model can't see pictures of this kind; ask the user to describe it if it matters.]`
      }
    }
    return {
      _tag: "Answered",
      content: `[${what} It is shown in the next message.]`,
      images: [{ path: real, media_type: mediaType, size: bytes.length, digest }]
    }
  })

/** What a document would not do, as an answer that names it. */
export const orPlainError = <A>(
  path: string,
  work: Effect.Effect<A, DocumentUnreadable | ToolFailed>
): Effect.Effect<A, ToolFailed> =>
  Effect.catchTag(
    work,
    "DocumentUnreadable",
    ({ reason }) => new ToolFailed({ reason: `${JSON.stringify(path)}: ${reason}` })
  )
