import * as Tool from "@effect/ai/Tool"
import { Effect, Schema } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { AgentTool } from "./AgentTool.ts"
import { orToolFailed } from "./Refusal.ts"
import { implement } from "./ToolHandler.ts"
import { readOnly } from "./ToolHints.ts"

const parameters = {
  path: Schema.String.annotations({ description: "An existing file, relative to the user's folder" })
}

const AttachFile = Tool.make("attach_file", {
  description: "Attach a file of the user's files to the message that the user gets when the task is completed. The "
    + "file must exist already: write it first. Call it once for each file.",
  parameters
}).annotateContext(readOnly)

export const attachFile = (sandbox: Sandbox["Type"]): AgentTool =>
  implement(AttachFile, {
    timeout: "30 seconds",
    run: ({ path }, { userId }) =>
      Effect.map(orToolFailed(sandbox.statFile(userId, path)), (file) => ({
        _tag: "Answered",
        content: `${file.path} (${file.size} bytes) will be attached to the completion message.`,
        attach: [file.path]
      }))
  })
