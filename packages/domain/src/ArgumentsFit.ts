import { Predicate } from "effect"
import { isSameJson } from "./CanonicalJson.ts"

export interface Misfit {
  /** JSON pointer. */
  readonly path: string
  readonly message: string
}

type Json = Readonly<Record<string, unknown>>

const isJson = Predicate.isReadonlyRecord

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

const isOfType = (value: unknown, type: unknown): boolean =>
  type === typeOf(value) || (type === "number" && typeof value === "number")

/**
 * Where arguments that a person edited do not fit the JSON schema of a tool: types, required and unknown fields, and listed
 * values. The tool checks the rest as in any call.
 */
export const misfitsOf = (schema: unknown, value: unknown, path = ""): ReadonlyArray<Misfit> => {
  if (!isJson(schema)) return []
  const any = [schema["anyOf"], schema["oneOf"]].find(Array.isArray)
  if (Array.isArray(any)) {
    const found = any.map((one) => misfitsOf(one, value, path))
    return found.some(({ length }) => length === 0) ? [] : found[0] ?? []
  }
  if ("const" in schema && !isSameJson(schema["const"], value)) {
    return [{ path, message: `must be ${JSON.stringify(schema["const"])}` }]
  }
  const listed = schema["enum"]
  if (Array.isArray(listed) && !listed.some((one) => isSameJson(one, value))) {
    return [{ path, message: `must be one of ${JSON.stringify(listed).slice(0, 200)}` }]
  }
  const types = [schema["type"]].flat().filter(Predicate.isString)
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [{ path, message: `must be ${types.join(" or ")}, not ${typeOf(value)}` }]
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => misfitsOf(schema["items"], item, `${path}/${at}`))
  return isJson(value) ? fieldMisfits(schema, value, path) : []
}

const fieldMisfits = (schema: Json, value: Json, path: string): ReadonlyArray<Misfit> => {
  const properties = isJson(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"].filter(Predicate.isString) : []
  const pointer = (name: string) => `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => ({
      path: pointer(name),
      message: "is missing"
    })),
    ...Object.entries(value).flatMap(([name, field]) =>
      Object.hasOwn(properties, name)
        ? misfitsOf(properties[name], field, pointer(name))
        : schema["additionalProperties"] === false
        ? [{ path: pointer(name), message: "is no parameter of the tool" }]
        : []
    )
  ]
}
