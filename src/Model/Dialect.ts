import { type Either, Schema } from "effect"
import { memoized } from "../Runtime/Cache.ts"
import type { Completion } from "./Completion.ts"
import type { ModelRequest, ToolDefinition, ToolSet } from "./Model.ts"
import type { MaySend } from "./ProviderCalls.ts"
import type { CallFailure, OptionalParameter } from "./ProviderFailure.ts"

/** One of OpenAI's two protocols: how a model is asked, and how it answers. */
export interface Dialect<Event> {
  readonly path: string
  /** The body of a call; `may` says which optional parameters the model has not refused yet. */
  readonly body: (request: ModelRequest, may: MaySend) => string
  /** An event of a stream, or a whole response, which some servers send in place of a stream. */
  readonly event: Schema.Schema<Event>
  readonly assembly: (request: ModelRequest) => Assembly<Event>
  /** Whether servers may send thinking that no mark opens as the text of an answer. */
  readonly mayThinkUnopened: boolean
  /** The optional part of a request that a refusal is about, where only the request tells. */
  readonly refused: (request: ModelRequest, refusal: string) => OptionalParameter | undefined
}

export interface Assembly<Event> {
  /** The text that the event adds. */
  readonly take: (event: Event) => Either.Either<string, CallFailure>
  /** The completion of the events so far; null if its end is missing. */
  readonly completion: (end: CompletionEnd) => Either.Either<Completion, CallFailure> | null
}

/** How the events ended: with the one whole response, with the mark of the protocol, or without it. */
export type CompletionEnd = "whole" | "marked" | "unmarked"

/** A field of an answer that a server may leave out, or send as null. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** Chat templates, Google and Anthropic accept only the first system message, so a later one (a summary) is the user's. */
export const noteText = (content: string): string => `[Note from the system]\n${content}`

/** `properties` is demanded by some providers even where it is empty, and `$schema` refused by others. */
export const parametersOf = ({ parameters }: ToolDefinition): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...schema } = parameters
  return { type: "object", properties: {}, ...schema }
}

/** JSON text of a value, to be put into a larger text as it is. */
class Encoded {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** JSON without lone halves of surrogate pairs, as a cut leaves them: providers refuse them, so they are replaced. */
const encode = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.includes("\\ud") ? JSON.stringify(value, replacer) : json
}

export const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\uFFFD")

const replacer = (_: string, value: unknown): unknown => typeof value === "string" ? wellFormed(value) : value

/** The elements that a message or a tool set adds to a list, encoded once for as long as it lives. */
export const elementsOnce = <A extends object>(
  elementsOf: (value: A) => ReadonlyArray<unknown>
): (value: A) => string => memoized((value) => elementsOf(value).map(encode).join(","))

/** The member `tools` of a body; undefined without tools. */
export const toolList = (elementOf: (tool: ToolDefinition) => object): (set: ToolSet) => Encoded | undefined => {
  const encoded = elementsOnce(({ tools }: ToolSet) => tools.map(elementOf))
  return (set) => set.tools.length === 0 ? undefined : listOf([encoded(set)])
}

export const listOf = (elements: ReadonlyArray<string>): Encoded =>
  new Encoded(`[${elements.filter((json) => json !== "").join(",")}]`)

export const encodeBody = (body: object): string => {
  const members = Object.entries(body).filter(([, value]) => value !== undefined)
  return `{${
    members.map(([name, value]) => `${JSON.stringify(name)}:${value instanceof Encoded ? value.json : encode(value)}`)
      .join(",")
  }}`
}
