import * as Tool from "@effect/ai/Tool"
import { Effect, Schema } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { AgentTool } from "./AgentTool.ts"
import { orToolFailed } from "./Refusal.ts"
import { implement } from "./ToolHandler.ts"

const parameters = {
  path: Schema.String.annotations({ description: "The file, relative to the user's folder, such as notes/plan.md" }),
  content: Schema.String.annotations({ description: "The text to write" }),
  append: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true adds the text to the end of the file, false replaces the whole file. Default: false"
    }),
    { default: () => false }
  )
}

const WriteFile = Tool.make("write_file", {
  description: "Write a text file among the user's files; missing folders are created. It replaces the whole "
    + "file unless append is true. Write a long text in several calls: the first without append, the others with "
    + "it. The user only gets the file with the answer if you call attach_file as well.",
  parameters
}).annotate(Tool.OpenWorld, false)

export const writeFile = (sandbox: Sandbox["Type"]): AgentTool =>
  implement(WriteFile, {
    timeout: "60 seconds",
    effect: ({ append }) => (append ? "outside" : "idempotent"),
    run: ({ append, content, path }, { userId }) =>
      Effect.map(
        orToolFailed(sandbox.write(userId, path, content, { append })),
        (file) => `${append ? "Added to" : "Wrote"} ${file.path}, which now has ${file.size} bytes.`
      )
  })
