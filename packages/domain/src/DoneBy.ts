import { Schema } from "effect"

/** By which way a person's words or decision reached the service. */
export const Via = Schema.Literal("api", "chat", "command_line", "console", "email", "mcp")
export type Via = typeof Via.Type

/** Who answered, wrote or cancelled, with the name at that time, and by which way. */
export const DoneBy = Schema.Struct({
  user_id: Schema.NullOr(Schema.String).annotations({ description: "The user; null: none, or not known" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "The name at that time; null: not known" }),
  via: Schema.NullOr(Via).annotations({
    description:
      "By which way: the console, the command line, MCP, another request to the API, chat or mail; null: not known"
  })
}).annotations({ identifier: "DoneBy" })
export type DoneBy = typeof DoneBy.Type

/** The same as steps and commands have it; those of earlier versions have the id alone. */
export const storedDoneBy = {
  by: Schema.NullOr(Schema.String),
  name: Schema.optional(Schema.NullOr(Schema.String)),
  via: Schema.optional(Schema.NullOr(Via))
}

interface StoredDoneBy {
  readonly by?: string | null | undefined
  readonly name?: string | null | undefined
  readonly via?: Via | null | undefined
}

export const doneBy = ({ by = null, name = null, via = null }: StoredDoneBy): DoneBy => ({ user_id: by, name, via })

const ways: Readonly<Record<Via, string>> = {
  api: "through the API",
  chat: "in the chat",
  command_line: "on the command line",
  console: "in the console",
  email: "by mail",
  mcp: "through MCP"
}

/** A sentence such as "Ada answered in the chat". */
export const sentenceOf = ({ name, via }: DoneBy, did: string): string =>
  `${name ?? "A user"} ${did}${via === null ? "" : ` ${ways[via]}`}`
