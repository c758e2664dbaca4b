import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../support/Processes.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

/** Tests of decisions about calls. */
export const decisions = (test: Test): void => {
  test(
    "reads the whole text of a mail before the buttons that decide about it, also on a phone",
    function*({ client, faults, open, page, sees }) {
      const lines = Array.from({ length: 60 }, (_, at) => `Line ${at + 1} ${"of a mail that is long ".repeat(5)}`)
      const mail = {
        to: "stranger@example.org",
        subject: "A long mail",
        body: [...lines, "The very last line"].join("\n")
      }
      const id = yield* client.submit("asks for a mail", { message: use("send_email", mail).replace("@", "\\u0040") })
      yield* until("it waits", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
      for (const place of ["?kind=question", `tasks/${id}`]) {
        yield* open(place)
        yield* sees("The very last line")
        const question = page.getByText("May this mail be sent?").first()
        yield* until(
          `the question begins in view at ${place}`,
          Effect.promise(async () => {
            const box = await question.boundingBox()
            return box !== null && box.y >= 0 && box.y < 400
          })
        )
        for (const width of [1280, 390]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          yield* until(
            `all of it is to be read at ${place} with ${width} pixels`,
            Effect.promise(() =>
              page.evaluate<boolean>(
                `(([text, send]) => {
  text.scrollIntoView({ block: "end" })
  return text.scrollWidth <= text.clientWidth
    && text.getBoundingClientRect().bottom < send.getBoundingClientRect().top
})([
  [...document.querySelectorAll("pre")].find((one) => one.innerText.includes("The very last line")),
  [...document.querySelectorAll("button")].find((one) => /^Send\\b/.test(one.innerText))])`
              )
            )
          )
        }
      }
      yield* looksRight(page, "mail-approval")
      yield* client.send("POST", `/task/${id}/cancel`, {})
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "decides about each call of a question: one by its key, another with arguments that they edit",
    function*({ client, faults, open, page, press, sees, type }) {
      const mail = (subject: string) =>
        use("send_email", {
          to: [`${subject}@example.org`],
          subject,
          body: "Look at https://evil.example/a?b \u202Enow"
        }).replace("@", "\\u0040")
      const id = yield* client.submit("asks for mails", { message: `${mail("first")}\n${mail("second")}` })
      yield* until("it waits", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
      yield* open("?kind=question")
      yield* sees("Links lead to evil.example")
      yield* sees("⟨U+202E⟩now")
      yield* sees("Approve all (2)")
      yield* looksRight(page, "approvals")
      yield* Effect.promise(() => page.keyboard.press("d"))
      const rows = page.getByRole("group", { name: "Calls to decide about" })
      yield* until("one is left", Effect.promise(async () => await rows.getByRole("article").count() === 1))
      yield* open(`tasks/${id}`)
      yield* sees("denied it in the console")
      yield* press("Edit 3 arguments")
      yield* type("to", "nobody")
      yield* sees("This is no JSON.")
      yield* type("to", "7")
      yield* press("Approve as edited")
      yield* until("the field is wrong", Effect.promise(async () => await page.locator("[data-invalid]").count() > 0))
      yield* type("to", "[\"third@example.org\"]")
      yield* press("Approve as edited")
      yield* sees("approved it with other arguments in the console")
      yield* sees("Completed")
      const { body } = yield* client.send("GET", `/api/approvals?task_id=${id}`)
      assert.containSubset(body, [{ status: "approved", edited: true, arguments: { to: ["third@example.org"] } }])
      // The browser reports the refused arguments.
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("status of 400")), [])
    }
  )
}
