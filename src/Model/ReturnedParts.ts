import { Predicate, Schema } from "effect"
import type { SentMessage } from "./Model.ts"
import { ownerOf, type RemoteProvider } from "./ModelSettings.ts"
import { isRefusal } from "./RequestOption.ts"

/** Fields by their names. */
export type Fields = Readonly<Record<string, unknown>>

const FieldsSchema = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const isFields = (value: unknown): value is Fields => Predicate.isRecord(value)

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === ""
  || typeof value === "object" && Object.keys(value).length === 0

/** The fields that are not known here, and say something. */
export const unknownFields = (all: Fields, known: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(all).filter(([name, value]) => !known.has(name) && !isBlank(value)))

/** The fields after those of another piece of a stream. */
export const fieldsAfter = (before: Fields, more: Fields): Fields => {
  const names = Object.keys(more)
  return names.length === 0
    ? before
    : { ...before, ...Object.fromEntries(names.map((name) => [name, joined(before[name], more[name])])) }
}

const joined = (before: unknown, more: unknown): unknown => {
  if (typeof before === "string" && typeof more === "string") return before + more
  return Array.isArray(before) && Array.isArray(more) ? more.reduce(withPart, before) : more
}

/** Lists of parts: a part grows by the pieces that have its type and index. */
export const withPart = (parts: ReadonlyArray<unknown>, piece: unknown): ReadonlyArray<unknown> => {
  const last = parts.at(-1)
  return isFields(last) && isFields(piece) && isSamePart(last, piece)
    ? [...parts.slice(0, -1), grownPart(last, piece)]
    : [...parts, piece]
}

/** A signature ends its part, and encrypted data is a part of its own. */
const isSamePart = (part: Fields, piece: Fields): boolean =>
  part["type"] === piece["type"] && part["index"] === piece["index"]
  && (part["id"] === piece["id"] || isBlank(part["id"]) || isBlank(piece["id"]))
  && isBlank(part["signature"]) && isBlank(piece["data"])

const texts = ["text", "thinking", "summary", "reasoning", "content"]

const grownPart = (part: Fields, piece: Fields): Fields => ({
  ...part,
  ...Object.fromEntries(
    Object.entries(piece).filter(([, value]) => !isBlank(value))
      .map(([name, value]) => [name, texts.includes(name) ? joined(part[name], value) : value])
  )
})

const readable = ["reasoning_content", "reasoning", "reasoning_text", "thinking", "thinking_content", "thought"]
const readableLists = ["reasoning_details", "thinking_blocks"]

/** What the fields tell people of the model's thinking. Several may have the same text. */
export const thinkingIn = (fields: Fields): string => {
  if (Object.keys(fields).length === 0) return ""
  const text = readable.map((name) => fields[name]).find((value) => typeof value === "string" && value.trim() !== "")
  if (typeof text === "string") return text
  return readableLists.map((name) => textOfPart({ text: fields[name] })).find((one) => one !== "") ?? ""
}

/** The text of a part, in whichever field it is, also as a list of parts. */
export const textOfPart = (part: unknown): string => {
  if (typeof part === "string") return part
  if (Array.isArray(part)) return part.map(textOfPart).join("")
  return isFields(part) ? texts.map((name) => textOfPart(part[name])).find((text) => text !== "") ?? "" : ""
}

export const isThinkingPart = (part: unknown): boolean =>
  Predicate.hasProperty(part, "type") && typeof part.type === "string" && /think|reason/i.test(part.type)

/** Of an answer: what its model requires in later calls, and no other model understands. */
export interface ReturnedParts {
  readonly fields: Fields
  readonly calls: ReadonlyArray<Fields>
  /** The content as the model wrote it, where its thinking is in it. */
  readonly content?: unknown
}

const nothing: ReturnedParts = { fields: {}, calls: [] }

const Stored = Schema.Struct({
  dialect: Schema.Literal("chat"),
  provider: Schema.String,
  model: Schema.String,
  fields: FieldsSchema,
  calls: Schema.Array(FieldsSchema),
  content: Schema.optional(Schema.Unknown)
})
const isStored = Schema.is(Stored)

/** As earlier versions stored it: `extra_content` of the message and of each call. */
const StoredBefore = Schema.Struct({
  dialect: Schema.Literal("chat"),
  model: Schema.String,
  message: Schema.Unknown,
  calls: Schema.Array(Schema.Unknown)
})
const isStoredBefore = Schema.is(StoredBefore)

export const storedParts = (provider: RemoteProvider, parts: ReturnedParts): unknown =>
  isBlank(parts.fields) && parts.calls.every(isBlank) && parts.content === undefined
    ? undefined
    : { dialect: "chat", provider: ownerOf(provider), model: provider.model, ...parts }

const extraContent = (value: unknown): Fields => isBlank(value) ? {} : { extra_content: value }

/** Nothing where another model wrote the message. */
export const returnedParts = (provider: RemoteProvider, opaque: unknown): ReturnedParts => {
  const { model, owner } = provider
  if (isStored(opaque)) return opaque.provider === ownerOf(provider) && opaque.model === model ? opaque : nothing
  return owner === undefined && isStoredBefore(opaque) && opaque.model === model
    ? { fields: extraContent(opaque.message), calls: opaque.calls.map(extraContent) }
    : nothing
}

/** `function` is of the protocol, and only what is in it was returned. */
const namesIn = (fields: Fields): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, value]) =>
    name === "function" && isFields(value) ? Object.keys(value) : [name]
  )

/** Whether the complaint names a field that was returned in one of the messages. */
export const refusesReturned = (
  provider: RemoteProvider,
  messages: ReadonlyArray<SentMessage>,
  complaint: string
): boolean =>
  isRefusal(complaint) && messages.some((message) => {
    if (message.role !== "assistant" || message.opaque === undefined) return false
    const { calls, fields } = returnedParts(provider, message.opaque)
    return [fields, ...calls].flatMap(namesIn).some((name) => complaint.includes(name))
  })
