import { Effect, Schema } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { define } from "./Definition.ts"
import { orToolFailed } from "./Refusal.ts"
import type { Tool } from "./Tool.ts"

const parameters = Schema.Struct({
  path: Schema.String.annotations({ description: "The file, relative to the user's folder, such as notes/plan.md" }),
  content: Schema.String.annotations({ description: "The text to write" }),
  append: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true adds the text to the end of the file, false replaces the whole file. Default: false"
    }),
    { default: () => false }
  )
})

/** write_file: a text file in the user's sandbox, replaced as a whole or added to. */
export const writeFile = (sandbox: Sandbox["Type"]): Tool =>
  define({
    name: "write_file",
    description: "Write a text file among the user's files; folders that are missing are made. It replaces the whole "
      + "file unless append is true. Write a long text in several calls: the first without append, the others with "
      + "it. The user only gets the file with the answer if you call attach_file as well.",
    parameters,
    effect: ({ append }) => (append ? "outside" : "idempotent"),
    timeout: "60 seconds",
    run: ({ append, content, path }, { userId }) =>
      Effect.map(
        orToolFailed(sandbox.write(userId, path, content, { append })),
        (file) => `${append ? "Added to" : "Wrote"} ${file.path}, which now has ${file.size} bytes.`
      )
  })
