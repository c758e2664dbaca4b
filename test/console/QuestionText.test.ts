import { assert, describe, it } from "@effect/vitest"
import { questionHere } from "../../packages/console/src/screens/task/QuestionText.ts"

const here = (question: string) => questionHere(question, "u-1", "Ada")

describe("A question in the console", () => {
  it("does not send one to the console for its form", () => {
    assert.strictEqual(
      here(
        "The tool server test asks: Which table?\n\nFill in its form on the page of the task in the console: Seats, mail"
      ),
      "The tool server test asks: Which table?"
    )
  })

  it("names the page of the tool servers, and not the console", () => {
    assert.strictEqual(
      here("An owner can connect it on the page Tool servers of the console\n\nThe task goes on."),
      "An owner can connect it on the page Tool servers\n\nThe task goes on."
    )
  })

  it("names the person for whom the task works, whatever signs the name has", () => {
    assert.strictEqual(here("The task belongs to u-1. Rule 1 asks."), "The task belongs to Ada. Rule 1 asks.")
    assert.strictEqual(
      here("The spending limit of u-1 for 2026-11 is reached: 5."),
      "The spending limit of Ada for 2026-11 is reached: 5."
    )
    assert.strictEqual(
      here("It needs a sign-in. u-1, for whom the task works, can connect it."),
      "It needs a sign-in. Ada, for whom the task works, can connect it."
    )
    assert.strictEqual(questionHere("The task belongs to u-1.", "u-1", "$& Inc"), "The task belongs to $& Inc.")
  })
})
