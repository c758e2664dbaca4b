import { assert, describe, it } from "@effect/vitest"
import { mailTextOf } from "../../src/Delivery/NotificationText.ts"

describe("the HTML of a mail", () => {
  it("breaks no line within a paragraph that its author only wrapped, and keeps hard breaks", () => {
    assert.strictEqual(
      mailTextOf("wrapped\nby its author\n\none  \ntwo\\\nthree").html,
      "<p>wrapped\nby its author</p>\n<p>one<br>\ntwo<br>\nthree</p>\n"
    )
  })
})
