import { Predicate, Record } from "effect"
import { parameterExamples, requestExamples, schemaExamples } from "./Examples.ts"
import { problemMediaType } from "./Problem.ts"

const anyProblem = {
  description:
    "Any other problem: the request is invalid, not allowed, too large or too frequent, or the service is unavailable",
  content: { [problemMediaType]: { schema: { $ref: "#/components/schemas/Problem" } } }
}

const isObject = Predicate.isReadonlyRecord
const at = (value: unknown, key: string): Record.ReadonlyRecord<string, unknown> => {
  const inner = isObject(value) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}

/** Facts of a problem, by the name of the field. */
const facts: Record<string, string> = {
  reason: "Why",
  id: "The id of the request",
  path: "The field of the request",
  key: "The idempotency key",
  because: "What was different about the earlier request",
  status: "The status of the task",
  wanted: "What its status does not allow",
  name: "The name of the request",
  user_id: "The user of the request",
  email: "The e-mail address of the request",
  max_users: "Number of seats",
  limit: "Maximum number",
  seq: "The step of the request"
}

const withFacts = (field: unknown, name: string): unknown =>
  isObject(field) && facts[name] !== undefined ? { description: facts[name], ...field } : field

/** The properties of a problem: the derived document describes neither its type nor its facts. */
const describedProblem = ({ facts, type, ...properties }: Record.ReadonlyRecord<string, unknown>) => ({
  type: { description: "/problems/<slug>: the kind of problem", ...(isObject(type) ? type : {}) },
  ...properties,
  facts: {
    description: "The facts behind the detail",
    ...(isObject(facts) ? facts : {}),
    properties: Record.map(at(facts, "properties"), withFacts)
  }
})

/** The facts of a problem with their descriptions, and every schema with its example. */
const withDescriptions = (name: string, schema: unknown): unknown => {
  const properties = at(schema, "properties")
  const example = schemaExamples[name]
  return {
    ...(isObject(schema) ? schema : {}),
    ...("facts" in properties && name !== "Problem" ? { properties: describedProblem(properties) } : {}),
    ...(example === undefined ? {} : { examples: [example] })
  }
}

const isProblemStatus = (status: string) => /^[45]/.test(status)

/** Errors of one status are one content, under the type that all of them have. */
const withMediaType = (response: unknown): unknown =>
  isObject(response)
    ? { ...response, content: { [problemMediaType]: Object.values(at(response, "content"))[0] } }
    : response

const withExample = (parameter: unknown): unknown =>
  isObject(parameter) && parameter["in"] === "path"
    ? { ...parameter, example: parameterExamples[String(parameter["name"])] }
    : parameter

const withExamples = (operation: Record.ReadonlyRecord<string, unknown>) => {
  const { parameters, requestBody } = operation
  const example = Object.entries(requestExamples).find(([id]) => id === operation["operationId"])?.[1]
  return {
    ...operation,
    ...(Array.isArray(parameters) ? { parameters: parameters.map(withExample) } : {}),
    ...(isObject(requestBody) && example !== undefined
      ? {
        requestBody: {
          ...requestBody,
          content: Record.map(at(requestBody, "content"), (body) => (isObject(body) ? { ...body, example } : body))
        }
      }
      : {})
  }
}

const completed = (operation: unknown): unknown => {
  if (!isObject(operation)) return operation
  const { 400: _, ...declared } = at(operation, "responses")
  return {
    ...withExamples(operation),
    summary: summaryOf(operation["description"]),
    responses: {
      ...Record.map(declared, (response, status) => isProblemStatus(status) ? withMediaType(response) : response),
      default: anyProblem
    }
  }
}

/** What viewers list: the description up to its first details. */
const summaryOf = (description: unknown) => /^[^;:.(]+/.exec(String(description))?.[0].trim() ?? ""

/** Without the ids that many schemas share, and with a schema for the items of every array, as validators require. */
const unambiguous = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(unambiguous)
  if (!isObject(value)) return value
  const { $id, ...rest } = Record.map(value, unambiguous)
  return {
    ...rest,
    ...($id === undefined || String($id).startsWith("/schemas/") ? {} : { $id }),
    ...(rest["type"] === "array" && !("items" in rest) ? { items: {} } : {})
  }
}

/** Completes the derived document with examples, descriptions of problems' facts and the default problem. */
export const document = (spec: { readonly [key: string]: unknown }) => {
  const { HttpApiDecodeError: _, Issue: __, PropertyKey: ___, ...schemas } = at(at(spec, "components"), "schemas")
  return {
    ...spec,
    paths: unambiguous(
      Record.map(at(spec, "paths"), (path) => isObject(path) ? Record.map(path, completed) : path)
    ),
    components: {
      ...at(spec, "components"),
      schemas: unambiguous(Record.map(schemas, (schema, name) => withDescriptions(name, schema)))
    }
  }
}
