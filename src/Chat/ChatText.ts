import { visibleText } from "@troupe/domain/Text"
import { Schema } from "effect"

/** A person or channel in a text, by the platform's id; `label`: how the text calls it, if it does. */
const Named = Schema.Struct({ kind: Schema.Literal("user", "channel"), id: Schema.String, label: Schema.String })

/** What somebody wrote, without the platform's markup: plain text, and whom and what it mentions. */
export const ChatText = Schema.Array(Schema.Union(Schema.String, Named))
export type ChatText = typeof ChatText.Type

/** The name of a user or channel of the platform; null: unknown. */
export type NameOf = (id: string) => string | null

/** The platform's ids of people and channels. */
export interface Mentioned {
  readonly users: ReadonlyArray<string>
  readonly channels: ReadonlyArray<string>
}

/** With the people and channels by name. */
export const plainText = (text: ChatText, nameOf: NameOf): string =>
  visibleText(text.map((part) => typeof part === "string" ? part : shownName(part, nameOf)).join(""))

const shownName = ({ id, kind, label }: typeof Named.Type, nameOf: NameOf): string =>
  kind === "user" ? `@${nameOf(id) ?? (label || id)}` : `#${label || (nameOf(id) ?? id)}`

export const mentionedIn = (text: ChatText): Mentioned => {
  const idsOf = (kind: "user" | "channel") =>
    text.flatMap((part) => typeof part !== "string" && part.kind === kind ? part.id : [])
  return { users: idsOf("user"), channels: idsOf("channel") }
}

/** The spaces around a mention of these users, and a colon or comma behind it, go with it. */
export const withoutMention = (text: ChatText, users: ReadonlyArray<string>): ChatText => {
  const left: Array<ChatText[number]> = []
  let isAfterMention = false
  for (const part of text) {
    const isMention = typeof part !== "string" && part.kind === "user" && users.includes(part.id)
    if (!isMention) left.push(isAfterMention && typeof part === "string" ? part.replace(afterMention, "") : part)
    else if (!endsInSpace(left.at(-1))) left.push(" ")
    isAfterMention = isMention
  }
  return left
}

const afterMention = /^[^\S\n]*[,:，：、]?[^\S\n]*/

const endsInSpace = (part: ChatText[number] | undefined): boolean => typeof part === "string" && /\s$/.test(part)
