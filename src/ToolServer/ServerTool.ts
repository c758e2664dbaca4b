import { headOf } from "@troupe/domain/Text"
import { Either, Option, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import { storable } from "../Runtime/Database/StorableText.ts"
import { type JsonObject, repairedSchema } from "./ToolSchema.ts"

/** A tool as a server describes it. The description is untrusted. */
export interface ServerTool {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly isReadOnly: boolean
  readonly isIdempotent: boolean
  readonly digest: string
}

export const maxTools = 250
const maxDescription = 4_000

const Hint = Schema.optional(Schema.Unknown)
const Described = Schema.Struct({
  name: Schema.String.pipe(
    Schema.minLength(1),
    Schema.maxLength(256),
    Schema.filter((name) => storable(name) === name)
  ),
  title: Schema.optional(Schema.Unknown),
  description: Schema.optional(Schema.Unknown),
  inputSchema: Schema.optional(Schema.Unknown),
  annotations: Schema.optional(Schema.Unknown),
  execution: Schema.optional(Schema.Unknown)
})
const Annotations = Schema.Struct({ readOnlyHint: Hint, idempotentHint: Hint, destructiveHint: Hint })

/** The server runs the tool only as a task of the protocol, which is not supported here. */
const needsTask = Schema.is(Schema.Struct({ taskSupport: Schema.Literal("required") }))

const decode = Schema.decodeUnknownOption(Described)
const decodeAnnotations = Schema.decodeUnknownOption(Annotations)

/** The tools in a server's list that can be used. Of two with the same name the first is used. */
export const serverToolsOf = (server: string, listed: ReadonlyArray<unknown>): ReadonlyArray<ServerTool> => {
  const tools = new Map<string, ServerTool>()
  for (const given of listed) {
    const tool = serverToolOf(server, given)
    if (tool !== null && tool.name !== resourceReader && !tools.has(tool.name) && tools.size < maxTools) {
      tools.set(tool.name, tool)
    }
  }
  return [...tools.values()]
}

const serverToolOf = (server: string, given: unknown): ServerTool | null => {
  const described = decode(given)
  if (Option.isNone(described) || needsTask(described.value.execution)) return null
  const { annotations, inputSchema, name, title } = described.value
  const description = Predicate.isString(described.value.description) ? described.value.description : ""
  const { destructiveHint, idempotentHint, readOnlyHint } = Option.getOrElse(
    decodeAnnotations(annotations),
    (): typeof Annotations.Type => ({})
  )
  const definition = jsonOf({ name, title, description, inputSchema, annotations })
  if (definition === null) return null
  return {
    server,
    name,
    description: storable(
      headOf(description === "" && Predicate.isString(title) ? title : description, maxDescription)
    ),
    parameters: repairedSchema(inputSchema),
    isReadOnly: readOnlyHint === true && destructiveHint !== true,
    isIdempotent: idempotentHint === true,
    digest: createHash("sha256").update(definition).digest("hex")
  }
}

/** A method of the protocol, offered as a tool; no tool of a server has this name. */
export const resourceReader = "resources/read"

/** Reads what the server's tools return as links. */
export const readerOf = (server: string): ServerTool => ({
  server,
  name: resourceReader,
  description:
    `Reads a resource of the tool server ${server}, such as one that another of its tools returned as a link.`,
  parameters: {
    type: "object",
    properties: { uri: { type: "string", description: "The address in the link", maxLength: 2_048 } },
    required: ["uri"],
    additionalProperties: false
  },
  // The agent chooses the address: it may contain data, and the server may send a request to it.
  isReadOnly: false,
  isIdempotent: true,
  digest: resourceReader
})

/** JSON with sorted keys; null for a value that is nested too deep. */
const jsonOf = (value: unknown): string | null => Either.getOrNull(Either.try(() => JSON.stringify(sortKeys(value))))

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value).toSorted().map((key) => [key, sortKeys(Object.hasOwn(value, key) ? value[key] : null)])
  )
}

/** Maximum length of a tool's name for model providers. */
const maxName = 64

interface Named {
  readonly server: string
  readonly name: string
}

/**
 * The names under which agents call the tools: `<server>__<tool>`, with `_` for characters that model providers reject.
 * One that is too long or shared ends in a digest, so that it does not depend on the order of the tools.
 */
export const boundNames = <A extends Named>(
  tools: ReadonlyArray<A>,
  taken: ReadonlySet<string> = new Set()
): ReadonlyMap<string, A> => {
  const sharing = new Map<string, Array<A>>()
  for (const tool of tools) sharing.set(plainName(tool), [...sharing.get(plainName(tool)) ?? [], tool])
  const bound = new Map<string, A>()
  for (const [plain, sharers] of sharing) {
    const exact = sharers.filter((tool) => plain === fullName(tool))
    for (const tool of sharers) {
      const isPlain = plain.length <= maxName && !taken.has(plain)
        && (sharers.length === 1 || (exact.length === 1 && tool === exact[0]))
      const name = isPlain ? plain : digestName(tool, plain)
      if (!bound.has(name) && !taken.has(name)) bound.set(name, tool)
    }
  }
  return bound
}

export const mayBeOf = (server: string, boundName: string): boolean =>
  boundName.startsWith(plainName({ server, name: "" }))

const fullName = ({ name, server }: Named): string => `${server}__${name}`

const plainName = (tool: Named): string => fullName(tool).replace(/[^a-zA-Z0-9_-]/g, "_")

const digestName = (tool: Named, plain: string): string => {
  const digest = createHash("sha256").update(`${tool.server}\0${tool.name}`).digest("hex").slice(0, 8)
  return `${plain.slice(0, maxName - 9)}_${digest}`
}
