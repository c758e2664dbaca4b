import { Either, Predicate } from "effect"

export type JsonObject = Readonly<Record<string, unknown>>

/** The keywords that model providers accept with the values that JSON Schema 2020-12 allows; others are left out. */
export const keywordsOf = (
  schema: JsonObject,
  isDescribed: boolean,
  repair: (part: unknown) => JsonObject
): JsonObject => {
  const types = typesOf(schema)
  const isNullable = schema["nullable"] === true && types.length > 0 && !types.includes("null")
  const type = isNullable ? [...types, "null"] : types
  const values = enumOf(schema["enum"], type)
  return {
    ...(type.length === 0 ? {} : { type: type.length === 1 ? type[0] : type }),
    ...only(schema, isDescribed ? ["title", "description", "format"] : ["format"], Predicate.isString),
    ...(values.length === 0 ? {} : { enum: values }),
    ...only(schema, ["const"], (value) => value !== undefined && fits(value, type, [])),
    ...only(schema, ["default"], (value) => value !== undefined && fits(value, type, values)),
    ...numbersOf(schema),
    ...only(schema, ["pattern"], isPattern),
    ...only(schema, ["uniqueItems"], Predicate.isBoolean),
    ...alternativesOf(schema, repair),
    ...(type.includes("object") || type.length === 0 ? objectOf(schema, repair) : {}),
    ...(type.includes("array") ? { items: itemsOf(schema, repair) } : {})
  }
}

const jsonTypes = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/** Names of types in other languages and older descriptions. */
const typeNames: Readonly<Record<string, string>> = {
  bool: "boolean",
  date: "string",
  datetime: "string",
  decimal: "number",
  dict: "object",
  dictionary: "object",
  double: "number",
  file: "string",
  float: "number",
  int: "integer",
  int32: "integer",
  int64: "integer",
  list: "array",
  long: "integer",
  map: "object",
  none: "null",
  record: "object",
  set: "array",
  str: "string",
  text: "string",
  timestamp: "string",
  tuple: "array",
  uuid: "string"
}

/** Without a type, the one that the other keywords imply. */
const typesOf = (schema: JsonObject): ReadonlyArray<string> => {
  const given = [schema["type"]].flat().filter(Predicate.isString).map((name) => name.toLowerCase())
  const types = [...new Set(given.map((name) => typeNames[name] ?? name).filter((name) => jsonTypes.has(name)))]
  if (types.length > 0 || given.length > 0) return types
  if (Predicate.isReadonlyRecord(schema["properties"])) return ["object"]
  if (Predicate.isObject(schema["items"]) || Array.isArray(schema["prefixItems"])) return ["array"]
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : []
  return values.length > 0 && values.every(Predicate.isString) ? ["string"] : []
}

const isOfType = (value: unknown, type: string): boolean => {
  switch (type) {
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    case "null":
      return value === null
    case "object":
      return Predicate.isReadonlyRecord(value)
    default:
      return typeof value === type
  }
}

const fits = (value: unknown, types: ReadonlyArray<string>, values: ReadonlyArray<unknown>): boolean =>
  (types.length === 0 || types.some((type) => isOfType(value, type)))
  && (values.length === 0 || values.includes(value))

/** Only values of the type: providers refuse others. */
const enumOf = (values: unknown, types: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  Array.isArray(values) ? [...new Set(values)].filter((value) => fits(value, types, [])) : []

const only = (
  schema: JsonObject,
  words: ReadonlyArray<string>,
  isValid: (value: unknown) => boolean
): JsonObject => Object.fromEntries(words.flatMap((word) => isValid(schema[word]) ? [[word, schema[word]]] : []))

/** Compiled, never run: a pattern of a server may take for ever. */
const isPattern = (value: unknown): boolean =>
  Predicate.isString(value) && Either.isRight(Either.try(() => new RegExp(value, "u")))

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const numbersOf = (schema: JsonObject): JsonObject => {
  const isNumber = (value: unknown) => Number.isFinite(value)
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = schema
  return {
    ...only(schema, ["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"], isCount),
    ...only(schema, ["multipleOf"], (value) => isNumber(value) && Number(value) > 0),
    ...boundOf("minimum", "exclusiveMinimum", minimum, exclusiveMinimum),
    ...boundOf("maximum", "exclusiveMaximum", maximum, exclusiveMaximum)
  }
}

/** Until draft 4 of JSON Schema `exclusiveMinimum` was a flag beside `minimum`. */
const boundOf = (inclusive: string, exclusive: string, bound: unknown, limit: unknown): JsonObject => ({
  ...(Number.isFinite(bound) ? { [limit === true ? exclusive : inclusive]: bound } : {}),
  ...(Number.isFinite(limit) ? { [exclusive]: limit } : {})
})

const alternativesOf = (schema: JsonObject, repair: (part: unknown) => JsonObject): JsonObject =>
  Object.fromEntries(["anyOf", "oneOf"].flatMap((word) => {
    const parts = schema[word]
    return Array.isArray(parts) && parts.length > 0 ? [[word, parts.map(repair)]] : []
  }))

const objectOf = (schema: JsonObject, repair: (part: unknown) => JsonObject): JsonObject => {
  const { additionalProperties: others, properties: given } = schema
  const entries = Predicate.isReadonlyRecord(given) ? Object.entries(given) : []
  const names = new Set(entries.map(([name]) => name))
  // Until draft 3 a property said itself that it is required.
  const own = entries.filter(([, value]) => Predicate.isReadonlyRecord(value) && value["required"] === true)
  const listed = Array.isArray(schema["required"]) ? schema["required"].filter((name) => names.has(name)) : []
  const required = [...new Set([...listed, ...own.map(([name]) => name)])]
  return {
    ...(entries.length === 0
      ? {}
      : { properties: Object.fromEntries(entries.map(([name, value]) => [name, repair(value)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(Predicate.isBoolean(others) ? { additionalProperties: others } : {}),
    ...(Predicate.isReadonlyRecord(others) ? { additionalProperties: repair(others) } : {})
  }
}

/** Providers want `items` in every array, as one schema; a list of them is the older form of `prefixItems`. */
const itemsOf = (schema: JsonObject, repair: (part: unknown) => JsonObject): JsonObject => {
  const { items, prefixItems } = schema
  const listed = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
  const parts = [...listed, ...(Predicate.isReadonlyRecord(items) ? [items] : [])].map(repair)
  const distinct = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()]
  const [first = {}] = distinct
  return distinct.length > 1 ? { anyOf: distinct } : first
}
