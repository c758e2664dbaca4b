import { type Either, Schema } from "effect"
import { memoized } from "../Runtime/Cache.ts"
import type { Completion } from "./Completion.ts"
import type { ModelRequest, ToolDefinition, ToolSet } from "./Model.ts"
import { shortDescription } from "./Negotiation.ts"
import type { CallFailure } from "./ProviderFailure.ts"
import type { MaySend, RequestOption } from "./RequestOption.ts"

/** One of OpenAI's two protocols: how a model is asked, and how it answers. */
export interface Dialect<Event> {
  readonly path: string
  /** The body of a call; `may` says which options the model has not refused yet. */
  readonly body: (request: ModelRequest, may: MaySend) => string
  /** An event of a stream, or a whole response, which some servers send in place of a stream. */
  readonly event: Schema.Schema<Event>
  readonly assembly: (request: ModelRequest) => Assembly<Event>
  /** The option that a complaint is about, where only the request shows that. */
  readonly refused: (request: ModelRequest, complaint: string) => RequestOption | undefined
}

export interface Assembly<Event> {
  /** The text that the event adds. */
  readonly take: (event: Event) => Either.Either<string, CallFailure>
  /** The completion of the events so far; null if its end is missing. */
  readonly completion: (end: CompletionEnd) => Either.Either<Completion, CallFailure> | null
  /** How many characters of the text may be thinking that no mark opens, as far as the events so far show. */
  readonly heldBack: () => number
}

/** How the events ended: with the one whole response, with the mark of the protocol, or without it. */
export type CompletionEnd = "whole" | "marked" | "unmarked"

/** A field of an answer that a server may leave out, or send as null. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

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
export const toolList = (
  elementOf: (tool: ToolDefinition, may: MaySend) => object
): (set: ToolSet, may: MaySend) => Encoded | undefined => {
  const variants = new Map<string, (set: ToolSet) => string>()
  return (set, may) => {
    if (set.tools.length === 0) return undefined
    const isShort = !may("long_descriptions")
    const key = `${isShort} ${may("strict")}`
    const known = variants.get(key)
    const encoded = known ??
      elementsOnce(({ tools }: ToolSet) =>
        tools.map((tool) =>
          elementOf(isShort ? { ...tool, description: shortDescription(tool.description) } : tool, may)
        )
      )
    if (known === undefined) variants.set(key, encoded)
    return listOf([encoded(set)])
  }
}

// Texts that are put together by templates are copied once, when the body is sent; `join` copies them each time.
const enumerated = (list: string, json: string): string => json === "" ? list : list === "" ? json : `${list},${json}`

export const listOf = (elements: ReadonlyArray<string>): Encoded => new Encoded(`[${elements.reduce(enumerated, "")}]`)

export const encodeBody = (body: object): string =>
  `{${
    Object.entries(body).reduce((members, [name, value]) =>
      value === undefined
        ? members
        : enumerated(members, `"${name}":${value instanceof Encoded ? value.json : encode(value)}`), "")
  }}`
