// Writes src/generated from the OpenAPI document of packages/api: the types of its schemas, and a method for each operation.
// `npm run generate` runs it; a test fails while the files are not current.
import * as OpenApi from "@effect/platform/OpenApi"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { writeFileSync } from "node:fs"
import { argv } from "node:process"
import { pathToFileURL } from "node:url"
import openapiTypeScript from "openapi-typescript"

const document = OpenApi.fromApi(TroupeApi)

/** Written by hand: event streams and an upload. Not for clients: what the chat platform calls, MCP, and where browsers go. */
const leftOut = ["tasks.events", "tasks.allEvents", "files.upload", "mcp.message", "signIn.login", "signIn.callback"]
const leftOutGroups = ["chatRequests"]

/** The user of these paths is the caller, if no other one is named. */
const ownedGroups = ["files", "memories", "notifications", "tasks"]

const header = "// Generated from the OpenAPI document by `npm run generate`. Do not edit.\n"

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation }))
)

const map = (object, f) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

const isSuccess = (status) => status.startsWith("2")

/** Of an object whose names have a form, the type of its values: types can't say the form. */
const withAdditional = ({ patternProperties, ...value }) =>
  patternProperties === undefined ? value : { ...value, additionalProperties: Object.values(patternProperties)[0] }

/** Without what is no type: errors are thrown. */
const shortened = (value, key) =>
  Array.isArray(value) ?
    value.map((each) => shortened(each))
    : typeof value !== "object" || value === null ?
    value
    : map(
      Object.fromEntries(
        Object.entries(withAdditional(value)).filter(([name]) =>
          key === "properties" ||
          (key === "responses" ? isSuccess(name) : !["title", "examples", "example", "summary"].includes(name))
        )
      ),
      shortened
    )

const referred = (value, schemas, found = new Set()) => {
  for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (!found.has(name)) referred(schemas[name], schemas, found.add(name))
  }
  return found
}

const schemasSource = async () => {
  const paths = shortened(document.paths)
  const { schemas } = document.components
  const used = referred(paths, schemas)
  const source = await openapiTypeScript({
    openapi: document.openapi,
    info: document.info,
    paths,
    components: {
      schemas: map(Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))), shortened)
    }
  }, {
    commentHeader: header,
    defaultNonNullable: false,
    immutableTypes: true,
    transform: ({ format }) => format === "binary" ? "Blob" : undefined
  })
  const named = Object.keys(schemas).filter((name) => used.has(name))
    .map((name) => `export type ${name} = components["schemas"]["${name}"];\n`)
  return source.replaceAll("@description ", "") + named.join("")
}

const comment = (indent, text) => {
  const lines = text.flatMap((paragraph, index) => [...(index === 0 ? [] : [""]), ...paragraph.split("\n")])
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].map((line) => `${indent}${line}\n`).join("")
}

const nameOf = (schema) => schema.$ref?.split("/").at(-1)

const errorsOf = ({ responses }) =>
  Object.entries(responses).filter(([status]) => /^[45]/.test(status)).flatMap(([status, response]) => {
    const [{ schema }] = Object.values(response.content)
    return (schema.anyOf ?? [schema]).map((one) => {
      const { description, properties } = document.components.schemas[nameOf(one)] ?? one
      const type = properties.type?.enum[0]
      return `- ${status}${type === undefined ? "" : ` \`${type}\``}: ${description ?? response.description}`
    })
  })

/** A body without a name would be no type: `annotations` removes the name of a schema, `withStatus` keeps it. */
const typeOf = ({ operationId }, schema) => {
  const name = nameOf(schema)
  if (name === undefined) throw new Error(`The response of ${operationId} has no name: give its schema an identifier`)
  return `Schemas.${name}`
}

/** The type of a successful response, and the function that reads it. */
const resultOf = (operation) => {
  const { method, path, responses } = operation
  const [, response] = Object.entries(responses).find(([status]) => isSuccess(status))
  const [content] = Object.entries(response.content ?? {})
  if (content === undefined) return { result: "void", reader: "done" }
  const [type, { schema }] = content
  if (type === "application/octet-stream") return { result: "Blob", reader: "read", parseAs: "blob" }
  if (type !== "application/json") return { result: "string", reader: "read", parseAs: "text" }
  if (schema.type !== "array") return { result: typeOf(operation, schema), reader: "read" }
  const isPage = document.paths[path][method].parameters.some(({ name }) => name === "cursor")
  const item = typeOf(operation, schema.items)
  return isPage ? { result: `Page<${item}>`, reader: "page" } : { result: `ReadonlyArray<${item}>`, reader: "read" }
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

const bodyOf = ({ requestBody }) => {
  const schema = requestBody?.content["application/json"].schema
  if (schema === undefined) return null
  const name = nameOf(schema)
  return {
    type: name === undefined ? "unknown" : `Schemas.${name}`,
    isOptional: name !== undefined && document.components.schemas[name].required.length === 0
  }
}

const methodSource = (operation) => {
  const { description, method, operationId, parameters, path } = operation
  const [group, name] = operationId.split(".")
  const body = bodyOf(operation)
  const isOwned = ownedGroups.includes(group) && path.includes("{user_id}")
  const inPath = parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name)
  const hasQuery = parameters.some((parameter) => parameter.in === "query")
  const { parseAs, reader, result } = resultOf(operation)
  const signature = [
    ...inPath.filter((one) => !isOwned || one !== "user_id").map((one) => `${camelCase(one)}: string`),
    ...(hasQuery ? [`query: Query<"${path}"${method === "get" ? "" : `, "${method}"`}> = {}`] : []),
    ...(body === null ? [] : [`body: ${body.type}${body.isOptional ? " = {}" : ""}`]),
    isOwned ? "{ user, ...options }: UserCallOptions = {}" : "options: CallOptions = {}"
  ]
  const pathArguments = inPath.map((one) =>
    `${one}: ${isOwned && one === "user_id" ? "await userOf(user)" : camelCase(one)}`
  )
  const params = [
    ...(inPath.length === 0 ? [] : [`path: { ${pathArguments.join(", ")} }`]),
    ...(hasQuery ? ["query"] : [])
  ]
  const init = [
    "...options",
    ...(params.length === 0 ? [] : [`params: { ${params.join(", ")} }`]),
    ...(body === null ? [] : ["body"]),
    ...(parseAs === undefined ? [] : [`parseAs: "${parseAs}"`])
  ]
  const errors = errorsOf(operation)
  return comment("    ", [`${description}.`, ...(errors.length === 0 ? [] : [`Errors:\n${errors.join("\n")}`])])
    + `    ${name}: ${isOwned ? "async " : ""}(${signature.join(", ")}): Promise<${result}> =>\n`
    + `      ${reader}(http.${method.toUpperCase()}("${path}", { ${init.join(", ")} }))`
}

const isMethod = ({ operationId }) =>
  !leftOut.includes(operationId) && !leftOutGroups.includes(operationId.split(".")[0])

const endpointsSource = () => {
  const methods = operations.filter(isMethod)
  const groups = [...new Set(methods.map(({ operationId }) => operationId.split(".")[0]))]
  const sources = groups.map((group) => {
    const own = methods.filter(({ operationId }) => operationId.startsWith(`${group}.`))
    return comment("  ", [`${own[0].tags[0]}.`]) + `  ${group}: {\n${own.map(methodSource).join(",\n")}\n  }`
  })
  return `${header}import type { CallOptions, EndpointCalls, Page, Query, UserCallOptions } from "../EndpointCalls.ts"
import type * as Schemas from "./OpenApi.ts"

/** A method for each operation of the service, by the groups of its document. */
export const makeEndpoints = ({ done, http, page, read, userOf }: EndpointCalls) => ({
${sources.join(",\n")}
})
`
}

/** The generated files, by name. */
export const sources = async () => ({ "OpenApi.ts": await schemasSource(), "Endpoints.ts": endpointsSource() })

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  for (const [name, source] of Object.entries(await sources())) {
    writeFileSync(new URL(`src/generated/${name}`, import.meta.url), source)
  }
}
