import * as OpenApi from "@effect/platform/OpenApi"
import { assert, describe, it } from "@effect/vitest"
import { TroupeApi } from "@troupe/api/TroupeApi"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** What Effect writes where a schema has no description of its own. */
const derived = /^(?:an?|A) (?:string|number|integer|positive|non|finite|boolean|object)\b/

const has = (description: unknown): boolean => typeof description === "string" && !derived.test(description)

const document = OpenApi.fromApi(TroupeApi)
const schemas = new Map<string, unknown>(Object.entries(document.components.schemas))

const isDescribed = (schema: unknown): boolean => {
  if (!isObject(schema)) return false
  const named = schemas.get(String(schema["$ref"]).replace("#/components/schemas/", ""))
  return has(schema["description"]) || (isObject(named) && has(named["description"]))
}

/** The paths to properties and parameters without a description. */
const undescribed = (value: unknown, path: string): ReadonlyArray<string> => {
  if (!isObject(value)) return []
  const { description, in: place, properties } = value
  const own = isObject(properties) ? Object.entries(properties) : []
  return [
    ...own.filter(([, schema]) => !isDescribed(schema)).map(([name]) => `${path}.${name}`),
    ...(typeof place === "string" && !has(description) ? [`${path} ${String(value["name"])}`] : []),
    ...Object.entries(value).filter(([key]) => !key.startsWith("example")).flatMap(([key, inner]) =>
      undescribed(inner, key === "properties" ? path : `${path}.${key}`)
    )
  ]
}

describe("The OpenAPI document", () => {
  it("describes every property of a request, a response and a problem, and every parameter", () => {
    assert.isAbove(schemas.size, 80)
    assert.deepStrictEqual([...undescribed(document.components.schemas, ""), ...undescribed(document.paths, "")], [])
  })

  it("names every body of a request and a response in JSON, so that types of clients have names", () => {
    const bodies = Object.values(document.paths).flatMap((path) => Object.values(path)).flatMap((operation) =>
      [operation.requestBody, ...Object.values(operation.responses ?? {})].map((body) => {
        const schema: unknown = body?.content?.["application/json"]?.schema
        return [
          operation.operationId,
          isObject(schema) && isObject(schema["items"]) ? schema["items"] : schema
        ] as const
      })
    )
    const unnamed = bodies.filter(([, schema]) => isObject(schema) && "properties" in schema).map(([id]) => id)
    assert.deepStrictEqual(unnamed, [])
  })
})
