import { OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { TroupeApi } from "@troupe/api/TroupeApi"

describe("The OpenAPI document", () => {
  const spec = OpenApi.fromApi(TroupeApi)

  it("describes every endpoint and every field", () => {
    const undescribed: Array<string> = []
    for (const [name, schema] of Object.entries(spec.components.schemas)) {
      if (!("properties" in schema)) continue
      for (const [field, property] of Object.entries(schema.properties)) {
        if (!("description" in property) && !("$ref" in property)) undescribed.push(`${name}.${field}`)
      }
    }
    for (const [path, operations] of Object.entries(spec.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        if (operation.description === undefined) undescribed.push(`${method} ${path}`)
      }
    }
    assert.deepStrictEqual(
      undescribed.filter((at) => !/\.(type|status|_tag|title|detail|instance|facts)$/.test(at)),
      []
    )
  })

  it("refers only to schemas that it has", () => {
    const text = JSON.stringify(spec)
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      assert.property(spec.components.schemas, decodeURIComponent(name))
    }
    assert.notInclude(text, "HttpApiDecodeError")
  })
})
