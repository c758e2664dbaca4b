import * as Tool from "@effect/ai/Tool"
import { Effect, Schema } from "effect"
import type { Documents } from "../File/Documents/Documents.ts"
import type { Sandbox } from "../File/Sandbox.ts"
import { type AgentTool, ToolFailed } from "./AgentTool.ts"
import { orToolFailed, orUnreadable } from "./Refusal.ts"
import { implement } from "./ToolHandler.ts"
import { idempotent } from "./ToolHints.ts"

const parameters = {
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

const ConvertMarkdownToDocx = Tool.make("convert_markdown_to_docx", {
  description: "Make a Word document (.docx) of markdown: headings, lists, tables, links, code, quotes, bold, italic "
    + "and struck text. Pictures become their descriptions. It replaces a file of that name. The user only gets the "
    + "file with the answer if you call attach_file as well.",
  parameters
}).annotateContext(idempotent)

export const convertMarkdownToDocx = (sandbox: Sandbox["Type"], documents: Documents["Type"]): AgentTool =>
  implement(ConvertMarkdownToDocx, {
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
        const source = markdown ?? new TextDecoder().decode(
          yield* orToolFailed(sandbox.readBytes(userId, source_path ?? ""))
        )
        if (source.includes("\0")) {
          return yield* new ToolFailed({ reason: "The source is not a markdown text. Choose another source_path." })
        }
        const bytes = yield* orUnreadable(output_path, documents.docx(source))
        const file = yield* orToolFailed(sandbox.write(userId, output_path, bytes))
        return `Wrote ${file.path}, which now has ${file.size} bytes.`
      })
  })
