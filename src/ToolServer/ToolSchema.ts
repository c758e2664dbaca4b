import { Either, Predicate } from "effect"
import { type JsonObject, keywordsOf } from "./SchemaKeywords.ts"
import { inlined } from "./SchemaReferences.ts"

/** A schema that is larger is cut at a lower depth, then loses its descriptions, and at last accepts anything. */
const maxLength = 32_768
const forms = [true, false].flatMap((isDescribed) => [12, 6, 3].map((depth) => ({ depth, isDescribed })))

type Form = typeof forms[number]

const open: JsonObject = { type: "object", properties: {} }

/**
 * The input schema as JSON Schema 2020-12 that every model provider accepts: an object without references and without
 * alternatives at its top, arrays with items. It describes the arguments to the model and validates nothing: the server
 * does that.
 */
export const repairedSchema = (inputSchema: unknown): JsonObject => {
  for (const form of forms) {
    const parameters = repairedTo(form, inputSchema)
    if (JSON.stringify(parameters).length <= maxLength) return parameters
  }
  return open
}

const repairedTo = (form: Form, inputSchema: unknown): JsonObject =>
  Either.getOrElse(
    Either.try(() => atTop(repair(inlined(inputSchema, form.depth), form))),
    () => open
  )

const repair = (given: unknown, { depth, isDescribed }: Form): JsonObject =>
  Predicate.isReadonlyRecord(given) && depth >= 0
    ? keywordsOf(merged(given), isDescribed, (part) => repair(part, { depth: depth - 1, isDescribed }))
    : {}

/** Joins the parts of `allOf` with the schema around them. */
const merged = ({ allOf, ...schema }: JsonObject): JsonObject =>
  Array.isArray(allOf) ? joined([...allOf.filter(Predicate.isReadonlyRecord).map(merged), schema]) : schema

/** All properties, and of other keywords the last: those that hold for each schema must hold for the result. */
const joined = (schemas: ReadonlyArray<JsonObject>): JsonObject => {
  // A property may be named `__proto__`, which must not be assigned.
  const properties = Object.fromEntries(schemas.flatMap((schema) => Object.entries(recordOf(schema["properties"]))))
  const required = schemas.flatMap((schema) => listOf(schema["required"]))
  return {
    ...Object.assign({}, ...schemas),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required })
  }
}

const recordOf = (value: unknown): JsonObject => Predicate.isReadonlyRecord(value) ? value : {}

/** Keywords that model providers refuse at the top, or that describe no object. */
const droppedAtTop = new Set(["anyOf", "const", "default", "enum", "items", "oneOf", "required"])

/** Without alternatives: an object with the properties of all of them, of which those are required that each of them requires. */
const atTop = (schema: JsonObject): JsonObject => {
  const variants = [schema["anyOf"], schema["oneOf"]].flatMap(listOf)
    .filter(Predicate.isReadonlyRecord)
    .map((variant) => "anyOf" in variant || "oneOf" in variant ? atTop(variant) : variant)
  const merging = new Map<string, unknown>()
  for (const part of [...variants, schema]) {
    for (const [name, property] of Object.entries(recordOf(part["properties"]))) {
      const other = merging.has(name) ? merging.get(name) : property
      merging.set(name, isSame(other, property) ? property : { anyOf: alternativesOf(other, property) })
    }
  }
  const isAlways = (name: string) =>
    listOf(schema["required"]).includes(name)
    || variants.length > 0 && variants.every((variant) => listOf(variant["required"]).includes(name))
  const required = [...merging.keys()].filter(isAlways)
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([word]) => !droppedAtTop.has(word))),
    type: "object",
    properties: Object.fromEntries(merging),
    ...(required.length === 0 ? {} : { required })
  }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const alternativesOf = (one: unknown, other: unknown): ReadonlyArray<unknown> => {
  const before = Predicate.isReadonlyRecord(one) && Object.keys(one).length === 1 && Array.isArray(one["anyOf"])
    ? one["anyOf"]
    : [one]
  return before.some((known) => isSame(known, other)) ? before : [...before, other]
}

/** Validates nothing: compiling the schemas of a tool server would run its regular expressions. */
export const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "not checked" })
}
