import { Effect, Schema } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { define } from "./Definition.ts"
import { orToolFailed } from "./Refusal.ts"
import type { Tool } from "./Tool.ts"

const parameters = Schema.Struct({
  path: Schema.String.annotations({ description: "An existing file, relative to the user's folder" })
})

/** attach_file: marks a file of the user's sandbox for the message that tells of the task's completion. */
export const attachFile = (sandbox: Sandbox["Type"]): Tool =>
  define({
    name: "attach_file",
    description: "Attach a file of the user's files to the message that the user gets when the task is completed. The "
      + "file must exist already: write it first. Call it once for each file.",
    parameters,
    effect: "read",
    timeout: "30 seconds",
    run: ({ path }, { userId }) =>
      Effect.gen(function*() {
        const file = yield* orToolFailed(sandbox.statFile(userId, path))
        return {
          _tag: "Answered" as const,
          content: `${file.path} (${file.size} bytes) will be attached to the completion message.`,
          attach: [file.path]
        }
      })
  })
