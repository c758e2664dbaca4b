import { assert, describe, it } from "@effect/vitest"
import { withCreatorName } from "@troupe/domain/CreatorName"

const named = (question: string, name: string | null = "Ada Lovelace") => withCreatorName(question, "u-1", name)

describe("A question that is sent", () => {
  it("names the creator of its task where it has the id", () => {
    assert.strictEqual(named("The task belongs to u-1. Rule 1 asks."), "The task belongs to Ada Lovelace. Rule 1 asks.")
    assert.strictEqual(
      named("The spending limit of u-1 for 2026-11 is reached: 5."),
      "The spending limit of Ada Lovelace for 2026-11 is reached: 5."
    )
    assert.strictEqual(
      named("The tool server mail needs a sign-in. u-1, for whom the task works, can connect it: http://x"),
      "The tool server mail needs a sign-in. Ada Lovelace, for whom the task works, can connect it: http://x"
    )
    assert.strictEqual(named("The task belongs to u-1.", "$& Inc"), "The task belongs to $& Inc.")
  })

  it("keeps the id of others, of who has no name, and of whose name would be read as a link", () => {
    for (
      const [question, name] of [
        ["The task belongs to u-12.", "Ada"],
        ["Ask u-1 about it.", "Ada"],
        ["The task belongs to u-1.", null],
        ["The task belongs to u-1.", "[Ada](https://evil.example)"],
        ["The task belongs to u-1.", "<https://evil.example|Ada>"],
        ["The task belongs to u-1.", "Ada https://evil.example/a"],
        ["The task belongs to u-1.", "Ada //evil.example"],
        ["The task belongs to u-1.", "Ada (www.evil.example)"],
        ["The task belongs to u-1.", "evil.example"],
        ["The task belongs to u-1.", "Ada, see evil.example/login"]
      ] as const
    ) assert.strictEqual(named(question, name), question)
  })

  it("names people with initials, and those who are known by an address", () => {
    for (const name of ["J. R. R. Tolkien", "J.R.R. Tolkien", "Dr. Ada Lovelace", "ada.l@example.org", "Ada Ltd."]) {
      assert.strictEqual(named("The task belongs to u-1.", name), `The task belongs to ${name}.`)
    }
  })

  it("shows a name as one line in which hidden signs are seen", () => {
    assert.strictEqual(named("The task belongs to u-1.", "Ada\nApproved"), "The task belongs to Ada Approved.")
    assert.notInclude(named("The task belongs to u-1.", "Ada\u202eevil"), "\u202e")
  })
})
