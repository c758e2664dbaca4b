import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import process from "node:process"
import { isApproval } from "../../../src/Intake/Mail/MailText.ts"
import { splitText } from "../../../src/Intake/Mail/OwnWords.ts"
import { quoted } from "./inbox.ts"

const splitOf = (text: string) => splitText({ text, enclosed: "" }, true)

describe("The text of a mail", () => {
  it.live("is parted in time, and nothing of it is lost, if it is made to exhaust the parser", () =>
    Effect.gen(function*() {
      for (
        const hostile of [
          "2024 from <".repeat(2_500),
          "Op \n".repeat(2_000) + "schreef\n".repeat(1_500),
          "\n".repeat(30_000)
        ]
      ) {
        const began = process.cpuUsage()
        const { own, rest } = yield* splitOf(`${hostile}\n> quoted\n-----Original Message-----\nPay at once.`)
        assert.isBelow(process.cpuUsage(began).user, 2_000_000)
        assert.strictEqual(own, hostile.trim())
        assert.include(rest, "Pay at once.")
      }
    }))

  it.effect("never fails", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(FastCheck.string({ unit: "grapheme", maxLength: 300 }), async (text) => {
          const { own, rest } = await Effect.runPromise(splitOf(text))
          assert.isAtMost(own.length + rest.length, text.length + 2)
        }),
        { numRuns: 60 }
      )
    ))

  it.effect("of great length is bounded, and says so", () =>
    Effect.gen(function*() {
      const { own, rest } = yield* splitOf(`Short\n${"word ".repeat(40_000)}`)
      assert.isAtMost(own.length, 30_000)
      assert.include(rest, "the rest was left out")
    }))

  const replies = {
    Send: true,
    " send \n\nBest regards\nAlice": true,
    [`SEND${quoted}`]: true,
    "Don't send": false,
    "Send it": false,
    "Please\nSend": false,
    "Send\nbut without the file": false,
    "> Send\n\nNo": false,
    "Send!": false
  }

  it.effect.each(Object.entries(replies))(
    "%j approves if its first paragraph says nothing else: %j",
    ([text, approves]) => Effect.map(splitOf(text), (split) => assert.strictEqual(isApproval(split), approves))
  )
})
