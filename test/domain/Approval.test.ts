import { assert, describe, it } from "@effect/vitest"
import { approves } from "@troupe/domain/Approval"

describe("An answer approves", () => {
  it.each([
    "Send",
    " send\n",
    "SEND",
    "\u200BSend\uFEFF",
    "Se\u00ADnd",
    "\u2068Send\u2069",
    "Send\u00A0",
    "“Send”",
    "`Send`",
    "*Send*"
  ])("where it says nothing but the choice: %j", (answer) => assert.isTrue(approves(answer)))

  it.each([
    "Don’t send",
    "Don't send",
    "Send?",
    "Send!",
    "> Send",
    "Send it",
    "Send to eva@example.org",
    "",
    "\u200B",
    "“”"
  ])(
    "only then: %j",
    (answer) => assert.isFalse(approves(answer))
  )
})
