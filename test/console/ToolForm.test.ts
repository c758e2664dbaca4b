import { assert, describe, it } from "@effect/vitest"
import { initialValues } from "../../packages/console/src/parts/FormValues.ts"
import { argumentsOf, toolFormOf, wholeName } from "../../packages/console/src/screens/toolServers/ToolForm.ts"

const schema = {
  type: "object",
  $defs: { Size: { type: "string", enum: ["small", "large"], description: "Of the table" } },
  properties: {
    seats: { type: "integer", minimum: 1, maximum: 8 },
    note: { anyOf: [{ type: "string", maxLength: 20 }, { type: "null" }], default: null, title: "A note" },
    phone: { type: ["string", "null"] },
    size: { $ref: "#/$defs/Size" },
    floor: { enum: [1, 2] },
    quiet: { type: "boolean" },
    inside: { type: "boolean", default: true },
    dishes: { type: "array", items: { type: "string" }, description: "In order" },
    guest: { type: "object", properties: { name: { type: "string" } }, default: { name: "Ada" } },
    anything: true
  },
  required: ["seats"]
}

describe("The form of a tool", () => {
  const form = toolFormOf(schema)

  it("has a control for each kind of parameter, and JSON for the rest", () => {
    const { properties, required } = form.form
    assert.deepStrictEqual(required, ["seats"])
    assert.deepStrictEqual(properties["seats"], { type: "integer", minimum: 1, maximum: 8 })
    assert.deepStrictEqual(properties["note"], { type: "string", maxLength: 20, title: "A note" })
    assert.deepStrictEqual(properties["phone"], { type: "string" })
    assert.deepStrictEqual(properties["size"], {
      type: "string",
      enum: ["small", "large"],
      description: "Of the table"
    })
    assert.deepStrictEqual(properties["inside"], { type: "boolean", default: true })
    assert.strictEqual(properties["dishes"]?.description, "In order · JSON, such as [\"a\", \"b\"]")
    assert.deepStrictEqual([...form.asJson], ["floor", "quiet", "dishes", "guest", "anything"])
  })

  it("begins with the defaults, leaves out what is empty, and reads what is typed as JSON", () => {
    const values = initialValues(form.form)
    assert.deepStrictEqual(argumentsOf(form, values), {
      args: { inside: true, guest: { name: "Ada" } },
      mistakes: new Map()
    })
    const typed = { ...values, seats: "4", floor: "2", quiet: "false", dishes: "[\"fish\"]", guest: "", anything: "7" }
    assert.deepStrictEqual(argumentsOf(form, typed).args, {
      seats: 4,
      floor: 2,
      quiet: false,
      inside: true,
      dishes: ["fish"],
      anything: 7
    })
  })

  it("says which field is not JSON", () => {
    const { mistakes } = argumentsOf(form, { ...initialValues(form.form), dishes: "fish" })
    assert.deepStrictEqual([...mistakes.keys()], ["dishes"])
    assert.match(mistakes.get("dishes") ?? "", /^This is not JSON: /)
  })

  it("is one field for all arguments where the schema names none, and none where it allows none", () => {
    const open = toolFormOf({ type: "object" })
    assert.deepStrictEqual(argumentsOf(open, { [wholeName]: "{\"a\": [1]}" }).args, { a: [1] })
    assert.deepStrictEqual(argumentsOf(open, initialValues(open.form)), { args: {}, mistakes: new Map() })
    assert.deepStrictEqual([...argumentsOf(open, { [wholeName]: "[1]" }).mistakes.keys()], [wholeName])
    assert.deepStrictEqual(
      toolFormOf({ type: "object", properties: {}, additionalProperties: false }).form.properties,
      {}
    )
  })

  it("takes JSON where a schema refers to itself, to nothing or to another document", () => {
    const { asJson } = toolFormOf({
      type: "object",
      $defs: { Loop: { $ref: "#/$defs/Loop" } },
      properties: {
        loop: { $ref: "#/$defs/Loop" },
        away: { $ref: "https://example.com/schema" },
        gone: { $ref: "#/$defs/No" }
      }
    })
    assert.deepStrictEqual([...asJson], ["loop", "away", "gone"])
  })
})
