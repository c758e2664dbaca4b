import { Either, Predicate } from "effect"

export type JsonObject = Readonly<Record<string, unknown>>

/** Deeper parts of a schema accept anything, as does a schema that is larger. */
const maxDepth = 12
const maxLength = 32_768

const open: JsonObject = { type: "object", properties: {} }

/** Keywords that do not describe arguments, or that model providers reject. */
const dropped = new Set(["$schema", "$id", "$anchor", "$comment", "$vocabulary", "examples"])
/** Keywords that model providers reject at the top level. */
const droppedAtTop = new Set(["oneOf", "anyOf", "allOf", "not", "enum", "const", "if", "then", "else", "default"])
/** Keywords whose value is a map of schemas by name. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
/** Keywords whose value is data, not a schema. */
const data = new Set(["enum", "const", "default", "required", "type", "dependentRequired"])

/** The input schema in a form that model providers accept. It is not used to validate: its patterns could block us. */
export const repairedSchema = (inputSchema: unknown): JsonObject => {
  if (!Predicate.isReadonlyRecord(inputSchema)) return open
  const repaired = atTop(repair(inputSchema, 0))
  const text = Either.getOrNull(Either.try(() => JSON.stringify(repaired)))
  return text === null || text.length > maxLength ? open : repaired
}

const atTop = (schema: JsonObject): JsonObject => {
  const properties = Predicate.isReadonlyRecord(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"])
    ? [...new Set(schema["required"])].filter((name) => Predicate.isString(name) && Object.hasOwn(properties, name))
    : []
  const kept = Object.entries(schema).filter(([word]) => !droppedAtTop.has(word) && word !== "required")
  return {
    ...Object.fromEntries(kept),
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required })
  }
}

const repair = (schema: JsonObject, depth: number): JsonObject => {
  if (depth > maxDepth) return {}
  const entries = Object.entries(schema).flatMap(([word, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (dropped.has(word)) return []
    if (word === "$ref" || word === "$dynamicRef") return isLocal(value) ? [[word, value]] : []
    if (maps.has(word)) return Predicate.isReadonlyRecord(value) ? [[word, repairMap(value, depth)]] : []
    if (data.has(word)) return isShallow(value, maxDepth) ? [[word, value]] : []
    return [[word, repairValue(value, depth)]]
  })
  return Object.fromEntries(entries)
}

const isLocal = (reference: unknown): boolean => Predicate.isString(reference) && reference.startsWith("#")

const repairMap = (schemas: JsonObject, depth: number): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, asSchema(schema, depth + 1)]))

/** `true` and `false` are schemas too, but not every provider accepts them. */
const asSchema = (
  schema: unknown,
  depth: number
): JsonObject => (Predicate.isReadonlyRecord(schema) ? repair(schema, depth) : {})

const repairValue = (value: unknown, depth: number): unknown => {
  if (Array.isArray(value)) return depth > maxDepth ? [] : value.map((item) => repairValue(item, depth + 1))
  return Predicate.isReadonlyRecord(value) ? repair(value, depth + 1) : value
}

const isShallow = (value: unknown, levels: number): boolean => {
  if (!Predicate.isObject(value)) return true
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1))
}

/** Validates nothing: compiling the schemas of a tool server would run its regular expressions. */
export const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "not checked" })
}
