import { Effect, Schema } from "effect"
import { maxEntries, type Sandbox } from "../File/Sandbox.ts"
import { define } from "./Definition.ts"
import { orToolFailed } from "./Refusal.ts"
import type { Tool } from "./Tool.ts"

const parameters = Schema.Struct({
  path: Schema.optionalWith(
    Schema.String.annotations({ description: "The folder, relative to the user's folder. Default: \".\", the whole" }),
    { default: () => "." }
  )
})

/** list_directory: what is in a folder of the user's sandbox. */
export const listDirectory = (sandbox: Sandbox["Type"]): Tool =>
  define({
    name: "list_directory",
    description: "List the files and folders in a folder of the user's files, with their sizes. Use it to find out "
      + `which files there are before you read, attach or overwrite one. Shows up to ${maxEntries} entries of one `
      + "folder; it does not look into the folders below.",
    parameters,
    effect: "read",
    timeout: "30 seconds",
    run: ({ path }, { userId }) =>
      Effect.map(orToolFailed(sandbox.list(userId, path)), ({ entries, more }) => {
        if (entries.length === 0) return "The folder is empty."
        const lines = entries.map(({ kind, name, size }) => {
          if (kind === "file") return `${shown(name)} (${size} bytes)`
          return kind === "folder" ? `${shown(name)}/` : `${shown(name)} (link or special file, can't be opened)`
        })
        return [...lines, ...(more ? [`[Only ${entries.length} entries are shown; there are more.]`] : [])].join("\n")
      })
  })

/** A name with line breaks and the like would read as several entries. */
const shown = (name: string): string => (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name)
