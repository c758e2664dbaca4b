import * as Tool from "@effect/ai/Tool"
import { Predicate } from "effect"

export type JsonSchema = Readonly<Record<string, unknown>>

/** Without the titles that Effect gives to its refinements. */
export const parameterSchemaOf = (tool: Parameters<typeof Tool.getJsonSchema>[0]): JsonSchema => {
  const schema = withoutTitles(Tool.getJsonSchema(tool))
  return Predicate.isRecord(schema) ? schema : {}
}

const withoutTitles = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutTitles)
  if (!Predicate.isRecord(node)) return node
  // A parameter that is called `title` has a schema as its value, not a text.
  const kept = Object.entries(node).filter(([key, value]) => key !== "title" || typeof value !== "string")
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutTitles(value)]))
}

/** A value of this schema in a few words: "a whole number of at least 1". */
export const expectation = (schema: unknown): string => {
  if (!Predicate.isRecord(schema)) return "something else"
  if (Array.isArray(schema["enum"])) return oneOf(schema["enum"])
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map(expectation).join(" or ")
  switch (schema["type"]) {
    case "string":
      return `a string${length(schema)}`
    case "integer":
      return `a whole number${range(schema)}`
    case "number":
      return `a number${range(schema)}`
    case "boolean":
      return "true or false"
    case "array":
      return `a list, each item ${expectation(schema["items"])}`
    default:
      return Predicate.isString(schema["type"]) ? `of type ${schema["type"]}` : "something else"
  }
}

const oneOf = (values: ReadonlyArray<unknown>): string => {
  const listed = values.map((value) => JSON.stringify(value)).join(", ")
  return values.length === 1 ? listed : `one of ${listed}`
}

const length = ({ maxLength, minLength }: JsonSchema): string =>
  (typeof maxLength === "number" ? ` of at most ${maxLength} characters` : "")
  + (minLength === undefined ? "" : " that is not empty")

const range = ({ maximum, minimum }: JsonSchema): string =>
  [
    ...(typeof minimum === "number" ? [` of at least ${minimum}`] : []),
    ...(typeof maximum === "number" ? [` of at most ${maximum}`] : [])
  ].join(" and")
