import { Predicate } from "effect"

type JsonObject = Readonly<Record<string, unknown>>

/** The keywords that Google's schema of a function has; it refuses a request with any other. */
const known = new Set([
  "anyOf",
  "description",
  "enum",
  "format",
  "items",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "nullable",
  "pattern",
  "properties",
  "required",
  "title",
  "type"
])

const formats: ReadonlySet<unknown> = new Set(["date-time", "double", "enum", "float", "int32", "int64"])

/** The parameters of a tool in the part of JSON Schema that Google accepts. */
export const googleSchema = (schema: JsonObject): JsonObject => {
  const alternatives = [schema["anyOf"], schema["oneOf"]].flatMap((value) => Array.isArray(value) ? value : [])
  const isNull = (value: unknown) => Predicate.isReadonlyRecord(value) && value["type"] === "null"
  const variants = alternatives.filter((value) => !isNull(value)).map(typed)
  const types = [schema["type"]].flat().filter(Predicate.isString)
  const given = types.filter((type) => type !== "null")
  const values = "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? schema["enum"] : []
  const texts = values.filter((value) => Predicate.isString(value) && value !== "")
  // Only texts can be listed; other values are described by their type alone.
  const isEnum = texts.length > 0 && texts.length === values.filter((value) => value !== null && value !== "").length
  const [type = isEnum ? "string" : undefined, ...others] = given
  const kept = Object.entries(schema).filter(([word, value]) =>
    known.has(word) && !(word === "format" && !formats.has(value))
  )
  const { anyOf: _, enum: __, nullable: ___, type: ____, ...rest } = Object.fromEntries(kept)
  const nullable = types.includes("null") || alternatives.some(isNull) || values.includes(null)
    ? { nullable: true }
    : {}
  if (others.length > 0) {
    const anyOf = given.map((one) => googleSchema({ ...schema, type: one }))
    return { ...described(schema), anyOf, ...nullable }
  }
  const [only] = variants
  if (variants.length === 1 && only !== undefined && type === undefined) {
    return { ...only, ...described(schema), ...nullable }
  }
  const { items, properties, required, ...scalar } = rest
  return {
    ...scalar,
    ...(type === undefined ? {} : { type }),
    ...nullable,
    ...(isEnum && type === "string" ? { enum: texts } : {}),
    ...(variants.length === 0 ? {} : { anyOf: variants }),
    ...(type === "array" ? { items: typed(items) } : {}),
    ...(type === "object" ? objectOf(properties, required) : {})
  }
}

const described = ({ description }: JsonObject): JsonObject => Predicate.isString(description) ? { description } : {}

/** A value of any type is written as a text: Google wants a type. */
const typed = (given: unknown): JsonObject => {
  const schema = Predicate.isReadonlyRecord(given) ? googleSchema(given) : {}
  return "type" in schema || "anyOf" in schema ? schema : { type: "string", ...schema }
}

const objectOf = (properties: unknown, required: unknown): JsonObject => ({
  properties: Predicate.isReadonlyRecord(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, typed(value)]))
    : {},
  ...(Array.isArray(required) && required.length > 0 ? { required } : {})
})
