import { JSONSchema, Predicate, type Schema } from "effect"

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The JSON Schema (2020-12) of a tool's parameters in the form that every provider takes: references resolved, no
 * titles, no meta schema. A schema that contains itself keeps its `$defs`, as it can't be written otherwise.
 */
export const parameterSchema = <A, I>(schema: Schema.Schema<A, I>): JsonSchema => {
  const { $defs, $schema: _, ...root } = JSONSchema.make(schema, { target: "jsonSchema2020-12" })
  if (!("type" in root) || root.type !== "object") return noParameters
  const definitions: Readonly<Record<string, unknown>> = $defs ?? {}
  const recursive = Object.keys(definitions).some((name) => reaches(definitions[name], name, definitions, new Set()))
  if (recursive) return { ...root, $defs: definitions }
  const plain = resolved(root, definitions)
  return Predicate.isRecord(plain) ? plain : root
}

/** An Effect struct without fields takes any value, so its schema would not be an object's. */
const noParameters: JsonSchema = { type: "object", required: [], properties: {}, additionalProperties: false }

const prefix = "#/$defs/"

const nameOf = (reference: unknown): string | undefined =>
  typeof reference === "string" && reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined

const reaches = (
  node: unknown,
  target: string,
  definitions: Readonly<Record<string, unknown>>,
  seen: Set<string>
): boolean => {
  if (Array.isArray(node)) return node.some((part) => reaches(part, target, definitions, seen))
  if (!Predicate.isRecord(node)) return false
  const name = nameOf(node["$ref"])
  if (name === target) return true
  if (name !== undefined && !seen.has(name)) {
    seen.add(name)
    if (reaches(definitions[name], target, definitions, seen)) return true
  }
  return Object.values(node).some((part) => reaches(part, target, definitions, seen))
}

const resolved = (node: unknown, definitions: Readonly<Record<string, unknown>>): unknown => {
  if (Array.isArray(node)) return node.map((part) => resolved(part, definitions))
  if (!Predicate.isRecord(node)) return node
  const name = nameOf(node["$ref"])
  const referred = name === undefined ? {} : resolved(definitions[name], definitions)
  const own = Object.entries(node).flatMap(([key, value]): Array<[string, unknown]> => {
    // `title` is dropped where it is an annotation, not where it is the name of a parameter.
    if (key === "$ref" || (key === "title" && typeof value === "string")) return []
    return [[key, resolved(value, definitions)]]
  })
  return withoutLoneAllOf({ ...(Predicate.isRecord(referred) ? referred : {}), ...Object.fromEntries(own) })
}

/** `allOf` with one member, as defaults leave it behind, says nothing that its member alone would not. */
const withoutLoneAllOf = ({ allOf, ...rest }: Record<string, unknown>): Record<string, unknown> => {
  if (allOf === undefined) return rest
  const [member, ...others] = Array.isArray(allOf) ? allOf : []
  return Predicate.isRecord(member) && others.length === 0 ? { ...member, ...rest } : { ...rest, allOf }
}

/** What a value of this schema is, in a few words: "a whole number of at least 1". */
export const expectation = (schema: unknown): string => {
  if (!Predicate.isRecord(schema)) return "something else"
  if (Array.isArray(schema["enum"])) return oneOf(schema["enum"])
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map(expectation).join(" or ")
  if (Array.isArray(schema["allOf"])) return schema["allOf"].map(expectation).join(" and ")
  switch (schema["type"]) {
    case "string":
      return typeof schema["minLength"] === "number" && schema["minLength"] > 0
        ? "a string that is not empty"
        : "a string"
    case "integer":
      return `a whole number${range(schema)}`
    case "number":
      return `a number${range(schema)}`
    case "boolean":
      return "true or false"
    case "array":
      return `a list, each item ${expectation(schema["items"])}`
    case "object":
      return "an object"
    case "null":
      return "null"
    default:
      return "something else"
  }
}

const oneOf = (values: ReadonlyArray<unknown>): string => {
  const shown = values.map((value) => JSON.stringify(value)).join(", ")
  return values.length === 1 ? shown : `one of ${shown}`
}

const range = (schema: JsonSchema): string => {
  const bounds = [
    ["minimum", "of at least"],
    ["exclusiveMinimum", "above"],
    ["maximum", "of at most"],
    ["exclusiveMaximum", "below"]
  ] as const
  const said = bounds.flatMap(([key, words]) => (typeof schema[key] === "number" ? [`${words} ${schema[key]}`] : []))
  return said.length === 0 ? "" : ` ${said.join(" and ")}`
}
