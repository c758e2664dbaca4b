import * as Tool from "@effect/ai/Tool"
import { excerptChars, excerptLines } from "@troupe/domain/ToolResult"
import { Effect, Schema } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { type AgentTool, ToolFailed } from "./AgentTool.ts"
import { orToolFailed } from "./Refusal.ts"
import { implement } from "./ToolHandler.ts"
import { readOnly } from "./ToolHints.ts"

/** Far more than a model is shown, so that the note on what was cut is right for usual files. */
const maxBytes = 262_144

export const lineRange = {
  offset: Schema.optionalWith(
    Schema.Int.pipe(Schema.nonNegative()).annotations({ description: "The first line to read, from 0. Default: 0" }),
    { default: () => 0 }
  ),
  limit: Schema.optional(
    Schema.Int.pipe(Schema.positive()).annotations({ description: "How many lines to read. Default: all" })
  )
}

const parameters = {
  path: Schema.String.annotations({ description: "The file, relative to the user's folder" }),
  ...lineRange
}

const ReadFile = Tool.make("read_file", {
  description: "Read a text file of the user's files. Give offset and limit to read a long file piece by piece: a "
    + `result of more than ${excerptChars} characters shows only its first ${excerptLines} lines. For PDF, `
    + "Word, Excel, PowerPoint and images use read_document instead.",
  parameters
}).annotateContext(readOnly)

export const readFile = (sandbox: Sandbox["Type"]): AgentTool =>
  implement(ReadFile, {
    timeout: "60 seconds",
    run: ({ limit, offset, path }, { userId }) =>
      Effect.gen(function*() {
        const { cut, lines, more, size, text } = yield* orToolFailed(
          sandbox.read(userId, path, { offset, maxBytes, ...(limit === undefined ? {} : { limit }) })
        )
        if (text.includes("\0")) {
          return yield* new ToolFailed({
            reason: `${JSON.stringify(path)} is not a text file. Use read_document for documents and images.`
          })
        }
        if (lines === 0) {
          return size === 0 ? "[The file is empty.]" : `[The file ends before line ${offset}; lines count from 0.]`
        }
        if (cut) return `[The file has ${size} bytes. Not all of the lines asked for fit here.]\n${text}`
        return more ? `${text}\n[The file goes on: continue with offset ${offset + lines}.]` : text
      })
  })
