import { headOf } from "@troupe/domain/ToolResult"
import { Either, Option, Predicate, Schema } from "effect"
import { createHash } from "node:crypto"
import { storable } from "../Runtime/StorableText.ts"
import { type JsonObject, parametersOf } from "./ToolSchema.ts"

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
  annotations: Schema.optional(Schema.Unknown)
})
const Annotations = Schema.Struct({ readOnlyHint: Hint, idempotentHint: Hint, destructiveHint: Hint })

const decode = Schema.decodeUnknownOption(Described)
const decodeAnnotations = Schema.decodeUnknownOption(Annotations)

/** The tools in a server's list that can be used. Of two with the same name the first is used. */
export const serverToolsOf = (server: string, listed: ReadonlyArray<unknown>): ReadonlyArray<ServerTool> => {
  const tools = new Map<string, ServerTool>()
  for (const given of listed) {
    const tool = serverToolOf(server, given)
    if (tool !== null && !tools.has(tool.name) && tools.size < maxTools) tools.set(tool.name, tool)
  }
  return [...tools.values()]
}

const serverToolOf = (server: string, given: unknown): ServerTool | null => {
  const described = decode(given)
  if (Option.isNone(described)) return null
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
    parameters: parametersOf(inputSchema),
    isReadOnly: readOnlyHint === true && destructiveHint !== true,
    isIdempotent: idempotentHint === true,
    digest: createHash("sha256").update(definition).digest("hex")
  }
}

/** JSON with sorted keys; null for a value that is nested too deep. */
const jsonOf = (value: unknown): string | null => Either.getOrNull(Either.try(() => JSON.stringify(sortKeys(value))))

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value).toSorted().map((key) => [key, sortKeys(Object.hasOwn(value, key) ? value[key] : null)])
  )
}
