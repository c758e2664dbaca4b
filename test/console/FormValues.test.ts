import { assert, describe, it } from "@effect/vitest"
import type { QuestionForm } from "@troupe/client"
import { choicesIn, fieldsOf, hintOf, initialValues } from "../../packages/console/src/parts/FormValues.ts"

const form: QuestionForm = {
  type: "object",
  properties: {
    seats: { type: "integer", minimum: 1, maximum: 8, default: 2 },
    price: { type: "number" },
    where: { type: "string", oneOf: [{ const: "in", title: "Inside" }, { const: "out" }], default: "in" },
    smoking: { type: "boolean" },
    dishes: { type: "array", items: { anyOf: [{ const: "fish", title: "Fish" }] }, default: ["fish"] },
    note: { type: "string", description: "What else?", maxLength: 20 }
  },
  required: ["seats"]
}

describe("The form of a question", () => {
  it("begins with its defaults, and leaves out what is empty", () => {
    const values = initialValues(form)
    assert.deepStrictEqual(fieldsOf(form, values), { seats: 2, where: "in", smoking: false, dishes: ["fish"] })
    assert.deepStrictEqual(
      fieldsOf(form, { ...values, seats: "4", price: "1.5", where: "", dishes: [], note: "by the window" }),
      { seats: 4, price: 1.5, smoking: false, note: "by the window" }
    )
  })

  it("shows the titles of choices, and what a value must be", () => {
    const { dishes, note, seats, where } = form.properties
    assert.deepStrictEqual(where && choicesIn(where), [{ value: "in", label: "Inside" }, {
      value: "out",
      label: "out"
    }])
    assert.deepStrictEqual(dishes && choicesIn(dishes), [{ value: "fish", label: "Fish" }])
    assert.strictEqual(seats && hintOf(seats), "1 to 8")
    assert.strictEqual(note && hintOf(note), "What else? · at most 20 characters")
  })
})
