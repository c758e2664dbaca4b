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

/** Arguments with the server's own names of properties. */
export const withServerNames = (args: unknown, renamed: ReadonlyMap<string, string>): unknown => {
  if (renamed.size === 0) return args
  if (Array.isArray(args)) return args.map((one) => withServerNames(one, renamed))
  if (!Predicate.isReadonlyRecord(args)) return args
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, withServerNames(value, renamed)])
  )
}

const recordOf = (value: unknown): JsonObject => Predicate.isReadonlyRecord(value) ? value : {}
