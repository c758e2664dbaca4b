import * as Tool from "@effect/ai/Tool"
import { Effect, Schema } from "effect"
import { maxEntries, type Sandbox } from "../File/Sandbox.ts"
import type { AgentTool } from "./AgentTool.ts"
import { orToolFailed } from "./Refusal.ts"
import { implement } from "./ToolHandler.ts"
import { readOnly } from "./ToolHints.ts"

const parameters = {
  path: Schema.optionalWith(
    Schema.String.annotations({
      description: "The folder, relative to the user's folder. Default: \".\", the user's folder itself"
    }),
    { default: () => "." }
  )
}

const ListDirectory = Tool.make("list_directory", {
  description: "List the files and folders in a folder of the user's files, with their sizes. Use it to find out "
    + `which files there are before you read, attach or overwrite one. Shows up to ${maxEntries} entries of one `
    + "folder; it does not look into the folders below.",
  parameters
}).annotateContext(readOnly)

export const listDirectory = (sandbox: Sandbox["Type"]): AgentTool =>
  implement(ListDirectory, {
    timeout: "30 seconds",
    run: ({ path }, { userId }) =>
      Effect.map(orToolFailed(sandbox.list(userId, path)), ({ entries, more }) => {
        if (entries.length === 0) return "The folder is empty."
        const lines = entries.map(({ kind, name, size }) => {
          if (kind === "file") return `${onOneLine(name)} (${size} bytes)`
          return kind === "folder"
            ? `${onOneLine(name)}/`
            : `${onOneLine(name)} (link or special file, can't be opened)`
        })
        return [...lines, ...(more ? [`[Only ${entries.length} entries are shown; there are more.]`] : [])].join("\n")
      })
  })

/** A name with a line break would read as several entries. */
const onOneLine = (name: string): string => (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name)
