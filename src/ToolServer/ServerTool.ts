import { headOf } from "@troupe/domain/Text"
import { Either, Option, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import { storable } from "../Runtime/Database/StorableText.ts"
import { withFitNames } from "./ParameterNames.ts"
import type { JsonObject } from "./SchemaKeywords.ts"
import { repairedSchema } from "./ToolSchema.ts"

/** A tool as a server describes it. The description is untrusted. */
export interface ServerTool {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  /** The server's own names of parameters whose names model providers refuse; left out without any. */
  readonly renamed?: ReadonlyMap<string, string>
  readonly isReadOnly: boolean
  readonly isIdempotent: boolean
  /** The server states that it destroys. */
  readonly isDestructive?: boolean | undefined
  /** The server states that it reaches nothing outside of itself. */
  readonly isClosed?: boolean | undefined
  readonly digest: string
  /** Digest of the address and the credentials of its server. */
  readonly place?: string
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
const Annotations = Schema.Struct({
  readOnlyHint: Hint,
  idempotentHint: Hint,
  destructiveHint: Hint,
  openWorldHint: Hint
})

/** The server runs the tool only as a task of the protocol, which is not supported here. */
const needsTask = Schema.is(Schema.Struct({ taskSupport: Schema.Literal("required") }))

const decode = Schema.decodeUnknownOption(Described)
const decodeAnnotations = Schema.decodeUnknownOption(Annotations)

/** The tools that a server lists, and why it is not all that it lists. */
export interface ToolList {
  readonly tools: ReadonlyArray<ServerTool>
  readonly warnings: ReadonlyArray<string>
}

const maxWarnings = 20

/** The tools in a server's list that can be used; the others are left out with the reason. Of two with the same name the first is used. */
export const serverToolsOf = (server: string, listed: ReadonlyArray<unknown>): ToolList => {
  const tools = new Map<string, ServerTool>()
  const warnings: Array<string> = []
  for (const [index, given] of listed.entries()) {
    if (tools.size === maxTools) {
      warnings.push(`the last ${listed.length - index} of its tools are left out: at most ${maxTools} are used`)
      break
    }
    const tool = Either.filterOrLeft(
      serverToolOf(server, given),
      ({ digest, name }) => (tools.get(name)?.digest ?? digest) === digest,
      () => "another tool before it has the same name"
    )
    if (Either.isRight(tool)) tools.set(tool.right.name, tool.right)
    else warnings.push(`tool ${index + 1} of its list${nameOf(given)} is left out: ${tool.left}`)
  }
  const hidden = warnings.length - maxWarnings
  return {
    tools: [...tools.values()],
    warnings: hidden <= 0 ? warnings : [...warnings.slice(0, maxWarnings), `${hidden} more tools are left out`]
  }
}

const nameOf = (given: unknown): string =>
  Predicate.hasProperty(given, "name") && Predicate.isString(given.name)
    ? ` (${headOf(storable(given.name), 100)})`
    : ""

const serverToolOf = (server: string, given: unknown): Either.Either<ServerTool, string> => {
  const described = decode(given)
  if (Option.isNone(described)) return Either.left("it has no name of 1 to 256 characters that can be stored")
  if (needsTask(described.value.execution)) return Either.left("it runs only as a task of the protocol")
  const { annotations, inputSchema, name, title } = described.value
  if (name === resourceReader) return Either.left("its name is that of a method of the protocol")
  const description = Predicate.isString(described.value.description) ? described.value.description : ""
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = Option.getOrElse(
    decodeAnnotations(annotations),
    (): typeof Annotations.Type => ({})
  )
  const definition = jsonOf({ name, title, description, inputSchema, annotations })
  if (definition === null) return Either.left("its definition is nested too deep")
  const { parameters, renamed } = withFitNames(repairedSchema(inputSchema))
  return Either.right({
    server,
    name,
    description: storable(
      headOf(description === "" && Predicate.isString(title) ? title : description, maxDescription)
    ),
    parameters,
    ...(renamed.size === 0 ? {} : { renamed }),
    isReadOnly: readOnlyHint === true && destructiveHint !== true,
    isIdempotent: idempotentHint === true,
    ...(destructiveHint === true ? { isDestructive: true } : {}),
    ...(openWorldHint === false ? { isClosed: true } : {}),
    digest: createHash("sha256").update(definition).digest("hex")
  })
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

/** Google and Moonshot want a letter first. */
const plainName = (tool: Named): string => fullName(tool).replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?![a-zA-Z])/, "s_")

const digestName = (tool: Named, plain: string): string => {
  const digest = createHash("sha256").update(`${tool.server}\0${tool.name}`).digest("hex").slice(0, 8)
  return `${plain.slice(0, maxName - 9)}_${digest}`
}
