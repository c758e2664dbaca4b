import * as Tool from "@effect/ai/Tool"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expectation, parameterSchemaOf } from "../../src/Tool/ParameterSchema.ts"

describe("parametersOf", () => {
  it("keeps descriptions and bounds, drops the titles of refinements, and closes the object", () => {
    const fields = {
      title: Schema.NonEmptyString.annotations({ description: "A heading" }),
      times: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 9)), { default: () => 1 }),
      count: Schema.Int.pipe(Schema.between(0, 5)).annotations({ description: "How many" }),
      both: Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.Int)))
    }
    const schema = parameterSchemaOf(Tool.make("test", { parameters: fields }))
    assert.deepStrictEqual(schema, {
      type: "object",
      required: ["title", "count"],
      properties: {
        title: { type: "string", description: "A heading", minLength: 1 },
        times: { type: "integer", description: "a number between 1 and 9", minimum: 1, maximum: 9 },
        count: { type: "integer", description: "How many", minimum: 0, maximum: 5 },
        both: {
          anyOf: [{ type: "string" }, { type: "array", items: { type: "integer", description: "an integer" } }]
        }
      },
      additionalProperties: false
    })
  })

  it("says in words what a value must be", () => {
    assert.strictEqual(expectation({ type: "boolean" }), "true or false")
    assert.strictEqual(expectation({ enum: ["a", "b"] }), "one of \"a\", \"b\"")
    assert.strictEqual(expectation({ type: "string", minLength: 1 }), "a string that is not empty")
    assert.strictEqual(
      expectation({ type: "string", minLength: 1, maxLength: 9 }),
      "a string of at most 9 characters that is not empty"
    )
    assert.strictEqual(
      expectation({ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }),
      "a string or a list, each item a string"
    )
  })
})
