import * as Tool from "@effect/ai/Tool"
import type { UserId } from "@troupe/domain/Ids"
import type { Shown } from "@troupe/domain/Shown"
import { Effect, Schema } from "effect"
import { type Documents, maxDocumentBytes } from "../File/Documents/Documents.ts"
import { imageTypeOf, readImage } from "../File/Image.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import type { Model } from "../Model/Model.ts"
import { decodeText } from "../Runtime/TextDecoding.ts"
import type { ReadableFiles } from "../Skill/SkillFiles.ts"
import { type AgentTool, orToolFailed, orUnreadable, ToolFailed, type ToolOutcome } from "./AgentTool.ts"
import { digestOfContent, shownByFile } from "./FileOrigin.ts"
import { lineRange } from "./FileTools.ts"
import { implement } from "./ToolHandler.ts"

const maxChars = 262_144

export const ReadDocument = Tool.make("read_document", {
  description:
    "Read a document of the user's files, or of a skill's (/skills/<name>/), as text: PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), "
    + ".txt, .md, .json and .csv; or look at a picture (.png, .jpg, .gif, .webp). Marks such as [Page 2 of 9], "
    + "[Slide 2] and [Sheet \"Costs\"] show where its parts begin. Give offset and limit (in lines of that text) to read "
    + "a long document piece by piece.",
  parameters: {
    path: Schema.String.annotations({
      description:
        "The document, relative to the user's folder, or that of a skill, such as /skills/invoices/assets/a.pdf"
    }),
    ...lineRange
  }
})

export const readDocument = (
  files: ReadableFiles,
  documents: Documents["Type"],
  model: Model["Type"]
): AgentTool =>
  implement(ReadDocument, {
    changes: "nothing",
    // Longer than a document may wait and be processed.
    timeout: "90 seconds",
    run: ({ limit, offset, path }, context) =>
      Effect.gen(function*() {
        const { userId } = context
        const found = yield* orToolFailed(files.find(path, (path) => files.stat(userId, path)))
        const shows = yield* shownByFile(files, context, found)
        if (imageTypeOf(path) !== undefined) return yield* imageOf(files, model, userId, found.result.path, shows)
        const bytes = orToolFailed(files.readBytes(userId, found.path, { maxBytes: maxDocumentBytes }))
        const { cut, lines, text, total } = yield* orUnreadable(
          path,
          documents.text(userId, path, bytes, { offset, limit: limit ?? Number.MAX_SAFE_INTEGER, maxChars })
        )
        const { marked } = found
        const answer = (content: string): ToolOutcome => ({ _tag: "Answered", content: marked(content), shows })
        if (total === 0) return marked("[The document has no text.]")
        if (lines === 0) {
          return marked(`[The document ends before line ${offset}: it has ${total} lines, counted from 0.]`)
        }
        const next = offset + lines
        if (cut) return answer(`${text}\n[Line ${offset} is cut here. Continue with offset ${next} of ${total} lines.]`)
        return answer(
          next < total ? `${text}\n[The document goes on: continue with offset ${next} of ${total} lines.]` : text
        )
      })
  })

/** A tool result can't carry an image, so it follows in the next user message. */
const imageOf = (
  files: ReadableFiles,
  model: Model["Type"],
  userId: UserId,
  path: string,
  shows: Shown
): Effect.Effect<ToolOutcome | string, ToolFailed> =>
  Effect.gen(function*() {
    const { bytes, digest, mediaType } = yield* readImage(files, userId, path).pipe(
      Effect.catchTag("DocumentUnreadable", (unreadable) => orUnreadable(path, unreadable)),
      Effect.catchTag("SandboxRefused", orToolFailed)
    )
    const what = `This is a picture (${mediaType}, ${bytes.length} bytes).`
    if (!model.sees(mediaType)) {
      return `[${what} This model can't see pictures of this kind; ask the user to describe it if it matters.]`
    }
    return {
      _tag: "Answered",
      content: `[${what} It is shown in the next message.]`,
      images: [{ path, media_type: mediaType, size: bytes.length, digest }],
      shows
    }
  })

export const ConvertMarkdownToDocx = Tool.make("convert_markdown_to_docx", {
  description: "Make a Word document (.docx) of markdown: headings, lists, tables, links, code, quotes, bold, italic "
    + "and struck text. Pictures become their descriptions. It replaces a file of that name. The user only gets the "
    + "file with the answer if you call attach_file as well.",
  parameters: {
    markdown: Schema.optional(
      Schema.String.annotations({ description: "The markdown text. Give either this or source_path" })
    ),
    source_path: Schema.optional(
      Schema.String.annotations({
        description: "A markdown file, relative to the user's folder. Give either this or markdown"
      })
    ),
    output_path: Schema.String.annotations({
      description: "The Word file to write, relative to the user's folder, such as reports/summary.docx"
    })
  }
})

export const convertMarkdownToDocx = (sandbox: Sandbox["Type"], documents: Documents["Type"]): AgentTool =>
  implement(ConvertMarkdownToDocx, {
    changes: "own",
    // Longer than a document may wait and be processed.
    timeout: "90 seconds",
    run: ({ markdown, output_path, source_path }, { userId }) =>
      Effect.gen(function*() {
        if ((markdown === undefined) === (source_path === undefined)) {
          return yield* new ToolFailed({ reason: "Give either \"markdown\" or \"source_path\", and not both." })
        }
        if (!/[^/]\.docx$/i.test(output_path)) {
          return yield* new ToolFailed({ reason: "\"output_path\" must be the name of a file that ends in .docx." })
        }
        const source = markdown ?? decodeText(
          yield* orToolFailed(sandbox.readBytes(userId, source_path ?? ""))
        )
        if (source.includes("\0")) {
          return yield* new ToolFailed({ reason: "The source is not a markdown text. Choose another source_path." })
        }
        const bytes = yield* orUnreadable(output_path, documents.docx(userId, source))
        const file = yield* orToolFailed(sandbox.write(userId, output_path, bytes))
        return {
          _tag: "Answered",
          content: `Wrote ${file.path}, which now has ${file.size} bytes.`,
          // What a file says that it was made from is not the task's.
          ...(markdown === undefined ? {} : { writes: { path: file.path, digest: digestOfContent(bytes) } })
        }
      })
  })
