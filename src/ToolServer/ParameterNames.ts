import { Predicate } from "effect"
import type { JsonObject } from "./SchemaKeywords.ts"

/** What Anthropic accepts as the name of a property. */
const fitName = /^[a-zA-Z0-9_.-]{1,64}$/

export interface FitParameters {
  readonly parameters: JsonObject
  /** The server's own name of each property that was renamed. */
  readonly renamed: ReadonlyMap<string, string>
}

/** A repaired schema with names of properties that model providers accept. */
export const withFitNames = (parameters: JsonObject): FitParameters => {
  const renamed = new Map<string, string>()
  const taken = new Set(namesIn(parameters))
  const fitNames = new Map(
    [...taken].filter((name) => !fitName.test(name)).map((name) => [name, fitNameOf(name, taken)])
  )
  for (const [name, fit] of fitNames) renamed.set(fit, name)
  if (renamed.size === 0) return { parameters, renamed }
  return { parameters: recordOf(withNames(parameters, (name) => fitNames.get(name) ?? name)), renamed }
}

const fitNameOf = (name: string, taken: Set<string>): string => {
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]+/g, "_").replace(/(?<=.)_$/, "").slice(0, 60) || "_"
  let fit = plain
  for (let number = 2; taken.has(fit); number++) fit = `${plain}_${number}`
  taken.add(fit)
  return fit
}

const namesIn = (schema: unknown): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (!Predicate.isReadonlyRecord(schema)) return []
  return [
    ...Object.keys(recordOf(schema["properties"])),
    ...Object.values(recordOf(schema["properties"])).flatMap(namesIn),
    ...subschemas.flatMap((word) => namesIn(schema[word]))
  ]
}

const subschemas = ["items", "additionalProperties", "anyOf", "oneOf"]

const withNames = (schema: unknown, nameOf: (name: string) => string): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => withNames(part, nameOf))
  if (!Predicate.isReadonlyRecord(schema)) return schema
  const { properties, required } = schema
  return {
    ...schema,
    ...Object.fromEntries(
      subschemas.filter((word) => word in schema).map((word) => [word, withNames(schema[word], nameOf)])
    ),
    ...(Predicate.isReadonlyRecord(properties)
      ? {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [nameOf(name), withNames(property, nameOf)])
        )
      }
      : {}),
    ...(Array.isArray(required) ? { required: required.map(nameOf) } : {})
  }
}

/**
 * Arguments with the server's own names of properties. Keys that the schema leaves open are data, and stay; where it accepts
 * anything, as in place of a part that contains itself, they may be names of properties too.
 */
export const withServerNames = (args: unknown, { parameters, renamed }: FitParameters): unknown =>
  renamed.size === 0 ? args : named(args, [parameters], renamed)

const named = (value: unknown, given: ReadonlyArray<unknown>, renamed: FitParameters["renamed"]): unknown => {
  const schemas = given.flatMap(variantsOf)
  if (Array.isArray(value)) {
    const items = schemas.flatMap(({ items = {} }) => [items])
    return value.map((one) => named(one, items, renamed))
  }
  if (!Predicate.isReadonlyRecord(value)) return value
  const isAnything = schemas.some(acceptsAnything)
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const own = schemas.flatMap(({ properties }) =>
        Predicate.isReadonlyRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
      )
      if (own.length > 0) return [renamed.get(name) ?? name, named(part, own, renamed)]
      const others = schemas.flatMap(({ additionalProperties }) => recordsOf(additionalProperties))
      return isAnything
        ? [renamed.get(name) ?? name, named(part, [{}, ...others], renamed)]
        : [name, named(part, others, renamed)]
    })
  )
}

/** A schema and its alternatives, each with theirs. */
const variantsOf = (schema: unknown): ReadonlyArray<JsonObject> => {
  if (!Predicate.isReadonlyRecord(schema)) return []
  const { anyOf, oneOf, ...own } = schema
  const alternatives = [anyOf, oneOf].flatMap((value) => Array.isArray(value) ? value : []).flatMap(variantsOf)
  return alternatives.length > 0 && acceptsAnything(own) ? alternatives : [own, ...alternatives]
}

const acceptsAnything = (schema: JsonObject): boolean =>
  !["type", "properties", "additionalProperties"].some((word) => word in schema)

const recordsOf = (value: unknown): ReadonlyArray<JsonObject> => Predicate.isReadonlyRecord(value) ? [value] : []

const recordOf = (value: unknown): JsonObject => Predicate.isReadonlyRecord(value) ? value : {}
