import { assert, describe, it } from "@effect/vitest"
import { googleSchema } from "../../src/Model/GoogleSchema.ts"
import { withFitNames, withServerNames } from "../../src/ToolServer/ParameterNames.ts"
import { boundNames, serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { repairedSchema } from "../../src/ToolServer/ToolSchema.ts"

describe("The schema of a server's tool", () => {
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
