import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { argumentsCheckOf } from "../../src/Skill/ArgumentsCheck.ts"

const answer = (schema: object, args: Readonly<Record<string, unknown>>) =>
  Either.merge(Either.flatMap(argumentsCheckOf(schema), (check) => check(args)))

const city = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 }, days: { type: "integer" } },
  required: ["city"]
}

describe("The arguments of a script that is a tool", () => {
  it("are taken as they are when they fit", () => {
    for (const args of [{ city: "Ulm" }, { city: "Ulm", days: 2 }, { city: "Ulm", note: [1] }]) {
      assert.deepStrictEqual(answer(city, args), args)
    }
  })

  it("may have null for an optional one that is left out", () => {
    assert.deepStrictEqual(answer(city, { city: "Ulm", days: null }), { city: "Ulm" })
    const nullable = { ...city, properties: { ...city.properties, days: { type: ["integer", "null"] } } }
    assert.deepStrictEqual(answer(nullable, { city: "Ulm", days: null }), { city: "Ulm", days: null })
  })

  const wrong: ReadonlyArray<readonly [schema: object, args: Readonly<Record<string, unknown>>, reason: RegExp]> = [
    [city, {}, /must have required property 'city'/],
    [city, { city: null }, /"city" must be string/],
    [city, { city: 7 }, /^"city" must be string$/],
    [city, { city: "", days: 1.5 }, /"city" must NOT have fewer than 1 characters; "days" must be integer/],
    [{ ...city, additionalProperties: false }, { city: "Ulm", town: "x" }, /additional properties: "town"/],
    [{ type: "object", properties: { unit: { enum: ["C", "F"] } } }, { unit: "K" }, /allowed values: \["C","F"\]/],
    [
      { type: "object", properties: { at: { type: "array", items: { type: "number" } } } },
      { at: [1, "2"] },
      /^"at\.1" must be number$/
    ],
    [
      { type: "object", properties: { code: { type: "string", pattern: "^[A-Z]{3}$" } } },
      { code: "ab" },
      /must match pattern/
    ],
    [
      { type: "object", properties: { code: { type: "string", pattern: "^[0-9]{3}$" } } },
      { code: "ABC" },
      /must match pattern/
    ],
    [{ type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, /must have required property/],
    [
      { type: "object", $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } },
      { a: "x" },
      /must be number/
    ],
    [{ $schema: "http://json-schema.org/draft-07/schema#", ...city }, {}, /must have required property/]
  ]

  it("are refused with what is wrong with each", () => {
    for (const [schema, args, reason] of wrong) {
      assert.isTrue(Either.isRight(argumentsCheckOf(schema)))
      assert.match(String(answer(schema, args)), reason)
    }
  })

  it("do not stop the service, whatever expression a schema has", () => {
    const slow = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } }
    assert.deepStrictEqual(answer(slow, { text: "aaa" }), { text: "aaa" })
    assert.match(String(answer(slow, { text: `${"a".repeat(60)}b` })), /must match pattern/)
  })
})
