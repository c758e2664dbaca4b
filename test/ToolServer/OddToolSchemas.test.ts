import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { withFitNames } from "../../src/ToolServer/ParameterNames.ts"
import { repairedSchema } from "../../src/ToolServer/ToolSchema.ts"
import { schemaRefusal } from "../support/schemaDemands.mjs"
import { properties } from "./toolSchemas.ts"

const property = (schema: unknown) => repairedSchema({ properties: { a: schema } })["properties"]

/** Whole schemas that servers send, each named for what is odd about it. */
const schemas: Readonly<Record<string, unknown>> = {
  "no type at the root": { properties: { a: { type: "string" } } },
  "another type at the root": { type: "array", items: { type: "string" } },
  "no properties": { type: "object" },
  "alternatives at the root": {
    anyOf: [{ type: "object", properties: { a: { type: "array" } } }, { $ref: "#/$defs/B" }],
    $defs: { B: {} }
  },
  "an enum at the root": { type: "object", enum: [{}] },
  "a condition at the root": { type: "object", if: {}, else: { required: ["a"] } },
  "draft 4": {
    $schema: "http://json-schema.org/draft-04/schema#",
    id: "x",
    properties: { a: { exclusiveMinimum: true, minimum: 1 } }
  },
  "names with odd characters": {
    properties: { "filter[id]": {}, "$top": {}, "@odata.type": {}, "a b": {}, "": {}, "名前": {}, ["x".repeat(99)]: {} }
  },
  "a list": [],
  "null": null
}

const keywords = (
  "$defs $ref $schema additionalProperties allOf anyOf const default description enum exclusiveMinimum format if items "
  + "maxLength minimum multipleOf not nullable oneOf pattern patternProperties prefixItems properties required type uniqueItems"
).split(" ")

/** Schemas with keywords whose values are now right, now wrong. */
const { schema: oddSchemas } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(true, null, 0, -1, 1.5, "a", "array", "object", "#", "#/$defs/a", "(", [], {}, ["array", "null"]),
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "$c", "required", "type"), tie("schema"), { maxKeys: 3 })
  ),
  schema: fc.dictionary(
    fc.constantFrom(...keywords),
    tie("value"),
    { maxKeys: 6 }
  )
}))

describe("The schema of a server's tool", () => {
  it.each(properties)("has instead of %s what every provider accepts", (_, given, expected) => {
    assert.deepStrictEqual(property(given), { a: expected })
    assert.isNull(schemaRefusal(repairedSchema({ properties: { a: given } })))
  })

  it.each(Object.entries(schemas))("is valid at every depth where the server sends %s", (_, given) => {
    const { parameters } = withFitNames(repairedSchema(given))
    assert.isNull(schemaRefusal(parameters))
  })

  it.prop("is valid at every depth, whatever the server sends", [oddSchemas], ([value]) => {
    const { parameters } = withFitNames(repairedSchema(value))
    assert.isNull(schemaRefusal(parameters))
  })
})
