import { assert, describe, it } from "@effect/vitest"
import { firstWords } from "../../packages/console/src/parts/FirstWords.ts"

describe("The first words of a text", () => {
  it("have no signs of Markdown, and keep those that mean themselves", () => {
    assert.deepStrictEqual(
      [
        "Which **name** should it _have_?\n\nAll are free.",
        "# Sales\n\n- up by `4 %`\n* down\n> quoted",
        "May send_email run with MAX_UPLOAD_MB, 5 * 3 times?",
        "***All*** of __it__, ~~not~~ now",
        "| Shop | Orders |"
      ].map(firstWords),
      [
        "Which name should it have? All are free.",
        "Sales up by 4 % down quoted",
        "May send_email run with MAX_UPLOAD_MB, 5 * 3 times?",
        "All of it, not now",
        "Shop Orders"
      ]
    )
  })
})
