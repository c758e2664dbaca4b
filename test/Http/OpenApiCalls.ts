import { OpenApi } from "@effect/platform"
import { FormData } from "@effect/platform-node/Undici"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { FastCheck, Schema } from "effect"
import { invalidValuesOf, JsonSchema, resolverOf, valuesOf } from "../support/JsonSchemaValues.ts"

const Method = Schema.Literal("DELETE", "GET", "POST", "PUT")
const methodOf = Schema.decodeUnknownSync(Method)

const Parameter = Schema.Struct({
  in: Schema.Literal("path", "query", "header"),
  name: Schema.String,
  required: Schema.Boolean,
  schema: JsonSchema
})

const Media = Schema.Struct({ schema: JsonSchema, example: Schema.optional(Schema.Unknown) })

const Document = Schema.Struct({
  components: Schema.Struct({ schemas: Schema.Record({ key: Schema.String, value: JsonSchema }) }),
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({
        parameters: Schema.Array(Parameter),
        requestBody: Schema.optional(
          Schema.Struct({ content: Schema.Record({ key: Schema.String, value: Media }) })
        ),
        responses: Schema.Record({ key: Schema.String, value: Schema.Unknown })
      })
    })
  })
})

const { components, paths } = Schema.decodeUnknownSync(Document)(OpenApi.fromApi(TroupeApi))
const resolve = resolverOf(components.schemas)

/** What the document offers. */
export const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: methodOf(method.toUpperCase()),
    path,
    parameters,
    json: requestBody?.content["application/json"],
    form: requestBody?.content["application/x-www-form-urlencoded"],
    isForm: requestBody?.content["multipart/form-data"] !== undefined,
    responses
  }))
)
export type Operation = typeof operations[number]

/** A request of the walk. */
export interface Call {
  readonly method: typeof Method.Type
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FormData
}

export const jsonBody = (value: unknown) => ({ body: JSON.stringify(value) })

export const formBody = { body: new FormData() }
formBody.body.append("user_id", "alice")
formBody.body.append("file", new File(["hello"], "notes.txt"))

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

export type Values = Readonly<Record<string, string>>

/** The call of an operation with these parameters. */
const callOf = ({ method, parameters, path }: Operation, values: Values): Call => {
  const of = (place: string) =>
    parameters.flatMap((parameter): ReadonlyArray<readonly [string, string]> => {
      const value = values[parameter.name]
      return parameter.in === place && value !== undefined ? [[parameter.name, value]] : []
    })
  const query = of("query").map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")
  const filled = of("path").reduce(
    (left, [name, value]) => left.replace(`{${name}}`, () => encodeURIComponent(value)),
    path
  )
  return { method, path: query === "" ? filled : `${filled}?${query}`, headers: Object.fromEntries(of("header")) }
}

const withBody = (call: Call, { body }: Pick<Call, "body">): Call => body === undefined ? call : { ...call, body }

/** Values for the parameters; a header has only printable text. */
const parametersOf = ({ parameters }: Operation): FastCheck.Arbitrary<Values> =>
  FastCheck.record(
    Object.fromEntries(parameters.map(({ in: place, name, schema }) => {
      if (name === "limit") return [name, FastCheck.integer({ min: 1, max: 100 }).map(String)]
      const text = valuesOf(resolve, schema).map((value) => String(value).replace(/\p{Surrogate}/gu, "?"))
      // A segment of dots would lead to another path.
      return [
        name,
        place === "header"
          ? FastCheck.stringMatching(/^[!-~]{1,40}$/)
          : text.filter((value) => !/^\.{0,2}$/.test(value))
      ]
    })),
    { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) }
  )

/** A body that is taken: the example, about what exists; of tool servers, one that no worker needs to start. */
const exampleOf = ({ json, name }: Operation, known: Values): object => ({
  ...(isObject(json?.example) ? json.example : {}),
  ...(name === "POST /human_response" ? { task_id: known["task_id"] } : {}),
  ...(name === "POST /api/mcp/configure" ? { mcpServers: { files: { command: "npx", disabled: true } } } : {})
})

/** Calls that the document allows; the first is about what exists. */
export const validOf = (operation: Operation, known: Values): readonly [Call, ...ReadonlyArray<Call>] => {
  const { isForm, json, parameters } = operation
  const example = isForm ? formBody : json === undefined ? {} : jsonBody(exampleOf(operation, known))
  const first = withBody(callOf(operation, known), example)
  if (json === undefined && parameters.length === 0) return [first]
  const bodies = json === undefined ? FastCheck.constant(example) : valuesOf(resolve, json.schema).map(jsonBody)
  const calls = FastCheck.tuple(parametersOf(operation), bodies, FastCheck.boolean()).map(([values, body, isKnown]) =>
    withBody(callOf(operation, isKnown ? { ...values, ...known } : values), body)
  )
  return [first, ...FastCheck.sample(calls, 3)]
}

/** Forms that the document allows. */
export const formsOf = ({ form }: Operation): ReadonlyArray<string> =>
  form === undefined ? [] : FastCheck.sample(valuesOf(resolve, form.schema), 20).map((value) => {
    const fields = isObject(value) ? Object.entries(value) : []
    return new URLSearchParams(Object.fromEntries(fields.map(([name, one]) => [name, String(one)]))).toString()
  })

/** Calls with one value that the document does not allow. */
export const invalidOf = (operation: Operation, known: Values): ReadonlyArray<Call> => {
  const call = callOf(operation, known)
  const query = operation.parameters.filter(({ in: place }) => place === "query").flatMap(({ name, schema }) =>
    [...(name === "limit" ? ["0", "-1", "1.5", "x"] : []), ...invalidValuesOf(resolve, schema)].flatMap((value) =>
      typeof value === "string" && value !== "" ? [callOf(operation, { ...known, [name]: value.slice(0, 600) })] : []
    )
  )
  // A webhook may have any body.
  const takesAnything = operation.method === "POST" && operation.path.startsWith("/webhook/")
  if (operation.json === undefined || takesAnything) return query
  const { schema } = operation.json
  const example = exampleOf(operation, known)
  const { properties = {}, required = [] } = resolve(schema)
  const fields = Object.entries(properties).flatMap(([name, property]) =>
    invalidValuesOf(resolve, property).map((value) => ({ ...example, [name]: value }))
  )
  const without = required.map((name) => Object.fromEntries(Object.entries(example).filter(([it]) => it !== name)))
  const bodies = [...invalidValuesOf(resolve, schema), ...fields, ...without].map(jsonBody)
  // No body at all says the same as one without fields.
  const malformed = [...(required.length > 0 ? [""] : []), "{", "\0"].map((body) => ({ body }))
  return [...query, ...[...bodies, ...malformed].map((body) => withBody(call, body))]
}
