import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { googleSchema } from "../../src/Model/GoogleSchema.ts"
import { withFitNames, withServerNames } from "../../src/ToolServer/ParameterNames.ts"
import { boundNames, serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { repairedSchema } from "../../src/ToolServer/ToolSchema.ts"
import { schemaRefusal } from "../support/schemaDemands.mjs"

const property = (schema: unknown) => repairedSchema({ properties: { a: schema } })["properties"]

/** What servers send, and what becomes of the property. */
const properties: ReadonlyArray<readonly [string, unknown, unknown]> = [
  ["an array without items", { type: "array" }, { type: "array", items: {} }],
  [
    "a list of arrays without items",
    { type: "array", items: { type: "array" } },
    { type: "array", items: { type: "array", items: {} } }
  ],
  ["a type list with an array", { type: ["string", "array"] }, { type: ["string", "array"], items: {} }],
  ["a type list", { type: ["string", "null"] }, { type: ["string", "null"] }],
  [
    "an array deep in an alternative",
    { anyOf: [{ type: "object", properties: { more: { type: "array" } } }] },
    { anyOf: [{ type: "object", properties: { more: { type: "array", items: {} } } }] }
  ],
  [
    "a tuple of draft 7",
    { type: "array", items: [{ type: "string" }, { type: "number" }] },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }
  ],
  [
    "a tuple of 2020-12",
    { type: "array", prefixItems: [{ type: "string" }, { type: "string" }], items: false },
    { type: "array", items: { type: "string" } }
  ],
  ["items that accept anything", { type: "array", items: true }, { type: "array", items: {} }],
  ["an exclusive minimum of draft 4", { type: "number", minimum: 1, exclusiveMinimum: true }, {
    type: "number",
    exclusiveMinimum: 1
  }],
  ["an exclusive maximum of draft 4", { type: "number", maximum: 9, exclusiveMaximum: false }, {
    type: "number",
    maximum: 9
  }],
  ["a schema that is true", true, {}],
  ["a schema that is false", false, {}],
  ["an empty enum", { type: "string", enum: [] }, { type: "string" }],
  ["an enum with null", { type: "string", enum: ["a", null] }, { type: "string", enum: ["a"] }],
  ["an enum without a type", { enum: ["a", "b", "a"] }, { type: "string", enum: ["a", "b"] }],
  ["an enum of numbers", { enum: [1, 2] }, { enum: [1, 2] }],
  ["an enum that is no list", { type: "string", enum: "a" }, { type: "string" }],
  ["a default of another type", { type: "integer", default: "ten" }, { type: "integer" }],
  ["a default of its type", { type: "integer", default: 10 }, { type: "integer", default: 10 }],
  ["a constant", { const: "a" }, { const: "a" }],
  ["a nullable type of OpenAPI", { type: "string", nullable: true }, { type: ["string", "null"] }],
  ["a type of another language", { type: "int" }, { type: "integer" }],
  ["a type in capitals", { type: "STRING" }, { type: "string" }],
  ["a type that there is not", { type: "any" }, {}],
  ["a description that is no text", { type: "string", description: { en: "x" } }, { type: "string" }],
  ["a pattern of another language", { type: "string", pattern: "(?i)^a\\Z" }, { type: "string" }],
  ["a length that is a text", { type: "string", maxLength: "5", minLength: -1 }, { type: "string" }],
  ["a format", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
  ["properties that are a list", { type: "object", properties: [] }, { type: "object" }],
  [
    "required of draft 3",
    { type: "object", properties: { b: { type: "string", required: true } } },
    { type: "object", properties: { b: { type: "string" } }, required: ["b"] }
  ],
  [
    "a required property that there is not",
    { type: "object", properties: {}, required: ["b"] },
    { type: "object" }
  ],
  ["a map of texts", { type: "object", additionalProperties: { type: "array" } }, {
    type: "object",
    additionalProperties: { type: "array", items: {} }
  }],
  [
    "the parts of allOf",
    { allOf: [{ type: "object", properties: { b: { type: "string" } } }, { required: ["b"] }], description: "d" },
    { type: "object", description: "d", properties: { b: { type: "string" } }, required: ["b"] }
  ],
  ["a reference by a name of its own", { $ref: "#anchor", description: "d" }, { description: "d" }],
  ["a reference to elsewhere", { $ref: "https://example.org/schema.json", description: "d" }, { description: "d" }],
  ["keywords that providers do not know", { type: "string", "x-order": 1, deprecated: true, examples: ["a"] }, {
    type: "string"
  }]
]

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

  it("has the definitions where they are referred to, and an end where they refer to themselves", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/$defs/Node" }, other: { $ref: "#/definitions/a~1b" } },
      $defs: { Node: { type: "object", properties: { left: { $ref: "#/$defs/Node" }, tags: { type: "array" } } } },
      definitions: { "a/b": { type: "integer" } }
    }
    assert.deepStrictEqual(repairedSchema(tree), {
      type: "object",
      properties: {
        root: { type: "object", properties: { left: {}, tags: { type: "array", items: {} } } },
        other: { type: "integer" }
      }
    })
  })

  it("stays small where its definitions double at each level", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `d${level}`,
        { type: "object", properties: { a: { $ref: `#/$defs/d${level + 1}` }, b: { $ref: `#/$defs/d${level + 1}` } } }
      ])
    )
    assert.isBelow(JSON.stringify(repairedSchema({ properties: { a: { $ref: "#/$defs/d0" } }, $defs })).length, 32_769)
  })

  it("loses its descriptions rather than its parameters where these are too long", () => {
    const properties = Object.fromEntries(
      ["a", "b", "c"].map((name) => [name, { type: "string", description: "x".repeat(20_000) }])
    )
    const { properties: kept } = repairedSchema({ properties, required: ["a"] })
    assert.deepStrictEqual(kept, { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } })
  })

  it("has the properties of all alternatives at its root, and requires what each of them requires", () => {
    const create = {
      properties: { action: { const: "create" }, title: { type: "string" } },
      required: ["action", "title"]
    }
    const close = { properties: { action: { const: "close" }, id: { type: "integer" } }, required: ["action", "id"] }
    assert.deepStrictEqual(repairedSchema({ oneOf: [create, close], properties: { note: { type: "string" } } }), {
      type: "object",
      properties: {
        action: { anyOf: [{ const: "create" }, { const: "close" }] },
        title: { type: "string" },
        id: { type: "integer" },
        note: { type: "string" }
      },
      required: ["action"]
    })
  })

  it.prop("is valid at every depth, whatever the server sends", [oddSchemas], ([value]) => {
    const { parameters } = withFitNames(repairedSchema(value))
    assert.isNull(schemaRefusal(parameters))
  })

  it("gives properties names that providers accept, and the server its own", () => {
    const fit = withFitNames(repairedSchema({
      properties: { "filter[id]": { type: "string" }, filter_id: {}, list: { items: { properties: { $top: {} } } } },
      required: ["filter[id]"]
    }))
    const { parameters } = fit
    assert.deepStrictEqual(Object.keys(Object(parameters["properties"])), ["filter_id_2", "filter_id", "list"])
    assert.deepStrictEqual(parameters["required"], ["filter_id_2"])
    assert.deepStrictEqual(
      withServerNames({ filter_id_2: "a", filter_id: "b", list: [{ _top: 3 }] }, fit),
      { "filter[id]": "a", filter_id: "b", list: [{ $top: 3 }] }
    )
  })

  it.each<readonly [string, unknown, unknown, unknown]>([
    ["an open object", { type: "object" }, { a_b: 1, c: [{ a_b: 2 }] }, { a_b: 1, c: [{ a_b: 2 }] }],
    [
      "a map",
      { type: "object", additionalProperties: { properties: { "a b": { type: "string" } } } },
      { a_b: { a_b: "x" } },
      { a_b: { "a b": "x" } }
    ],
    [
      "alternatives",
      { anyOf: [{ type: "string" }, { type: "object", properties: { "a b": { type: "string" } } }] },
      { a_b: "x", other: { a_b: 1 } },
      { "a b": "x", other: { a_b: 1 } }
    ],
    ["a part that contains itself", { $ref: "#" }, { a_b: "x", part: { a_b: "y" } }, {
      "a b": "x",
      part: { "a b": "y" }
    }],
    ["anything", {}, [{ a_b: "x" }], [{ "a b": "x" }]]
  ])("keeps keys that are data as they are: %s", (_, part, given, right) => {
    const fit = withFitNames(repairedSchema({ properties: { "a b": { type: "string" }, part } }))
    assert.deepStrictEqual(withServerNames({ a_b: "1", part: given }, fit), { "a b": "1", part: right })
  })

  it("keeps properties with the names of an object's own members", () => {
    const given: unknown = JSON.parse(
      `{"allOf": [{"properties": {"__proto__": {"type": "string"}}, "required": ["__proto__", "constructor"]}],
        "properties": {"constructor": {"type": "array"}, "toString": {"type": "hasOwnProperty"}}}`
    )
    assert.strictEqual(
      JSON.stringify(repairedSchema(given)),
      "{\"type\":\"object\",\"properties\":{\"__proto__\":{\"type\":\"string\"},\"constructor\":{\"type\":\"array\",\"items\":{}},"
        + "\"toString\":{}},\"required\":[\"__proto__\",\"constructor\"]}"
    )
  })

  it("is described in Google's part of JSON Schema for Google", () => {
    const schema = repairedSchema({
      properties: {
        kind: { const: "a" },
        level: { type: ["integer", "null"], exclusiveMinimum: 0, enum: [1, 2] },
        mode: { type: "string", enum: ["", "on"], default: "on", format: "uri" },
        either: { oneOf: [{ type: "string" }, { type: "null" }], description: "d" },
        several: { type: ["string", "number"] },
        rows: { type: "array" },
        any: {}
      },
      additionalProperties: false
    })
    assert.deepStrictEqual(googleSchema(schema), {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["a"] },
        level: { type: "integer", nullable: true },
        mode: { type: "string", enum: ["on"] },
        either: { type: "string", description: "d", nullable: true },
        several: { anyOf: [{ type: "string" }, { type: "number" }] },
        rows: { type: "array", items: { type: "string" } },
        any: { type: "string" }
      }
    })
  })
})

describe("The name of a server's tool", () => {
  it("begins with a letter and has the characters that providers accept", () => {
    const names = [..."1á_", "a.b/c", "x".repeat(90)].flatMap((
      name
    ) => [...boundNames([{ server: name, name }]).keys()])
    for (const name of names) assert.match(name, /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/)
  })

  it("is kept with the server's own names of its parameters", () => {
    const { tools: [tool] } = serverToolsOf("s", [{
      name: "a",
      inputSchema: { properties: { $top: { type: "integer" } } }
    }])
    assert.deepStrictEqual(tool?.parameters, { type: "object", properties: { _top: { type: "integer" } } })
    assert.deepStrictEqual([...tool?.renamed ?? []], [["_top", "$top"]])
  })
})
