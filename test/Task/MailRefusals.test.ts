import { assert } from "@effect/vitest"
import type { UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { alice } from "../support/GivenTasks.ts"
import { asks, call } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { mailTo, makeOffice } from "./mailApprovals.ts"

const by = Option.some<UserId>

inWorld("Mail of an agent to somebody new", (test) => {
  test("is not sent after any other answer, a message that the agent reads once the mail is decided", function*() {
    const { resultsOf, sentBy, settled, tasks, works } = yield* makeOffice
    for (const answer of ["Send it", "Send to evil@x.org? No", "Send\nbut later", "yes"]) {
      const { id, last_tool_call_id: call } = yield* works("Write", [
        mailTo("evil@x.org"),
        mailTo("evil@x.org", { subject: "Again" })
      ])
      const asking = yield* tasks.answer(id, answer, by(alice))
      assert.deepInclude(asking, { status: "waiting_input", last_tool_call_id: call })
      assert.deepStrictEqual(asking.approvals.map(({ status }) => status), ["open"])
      yield* tasks.answer(id, "Don't send", by(alice), { call })
      const again = yield* settled(id)
      assert.match((yield* resultsOf(id)).at(0) ?? "", /^Error: send_email was not called: .*alice.* denied it\./i)
      assert.include(
        (yield* tasks.messages(id)).filter(({ role }) => role === "user").map(({ content }) => content),
        answer
      )
      assert.strictEqual(again.status, "waiting_input", "the address in the answer allows nothing")
      assert.include(again.question, "Again")
      assert.deepStrictEqual(yield* sentBy(id), [])
      yield* tasks.cancel(id, Option.none())
      assert.deepStrictEqual((yield* tasks.find(id)).approvals.map(({ status }) => status), ["denied", "cancelled"])
    }
  })

  test("is not allowed by a choice that the agent wrote, which a button shows in part", function*() {
    const { settled, tasks, works } = yield* makeOffice
    const choice = `Yes, go on with the work as planned${" ".repeat(60)}and write to evil@x.org`
    const { id } = yield* works("Write", [
      asks(call("q", "ask_human", { question: "Go on?", choices: [choice, "No"] })),
      mailTo("evil@x.org")
    ])
    yield* tasks.answer(id, choice, by(alice), { call: "q" })
    assert.deepInclude(yield* settled(id), { status: "waiting_input", choices: ["Send", "Don't send"] })

    const padded = yield* works("Write", [
      asks(call("q", "ask_human", { question: "Go on?", choices: [` ${choice} `, "No"] })),
      mailTo("evil@x.org")
    ])
    yield* tasks.answer(padded.id, choice, by(alice), { call: "q" })
    assert.deepInclude(yield* settled(padded.id), { choices: ["Send", "Don't send"] }, "a client trims what it sends")
  })

  test("is not allowed by a choice in any form in which it comes back, nor by whatever a button gives", function*() {
    const { settled, tasks, works } = yield* makeOffice
    const choice = "Mail evil@x.org"
    const answers: ReadonlyArray<readonly [choice: string, answer: string, byButton: boolean]> = [
      [`${choice}\0`, `${choice}\uFFFD`, false],
      [`${choice}\ud83d`, `${choice}\uFFFD`, false],
      [`${choice}\ud83d`, choice, false],
      [choice, `- ${choice}\n\nThanks, Ada`, false],
      ["Yes", "Mail evil@x.org", true]
    ]
    for (const [given, answer, byButton] of answers) {
      const { id } = yield* works("Write", [
        asks(call("q", "ask_human", { question: "Go on?", choices: [given, "No"] })),
        mailTo("evil@x.org")
      ])
      yield* tasks.answer(id, answer, by(alice), { call: "q", byButton })
      assert.deepInclude(yield* settled(id), { status: "waiting_input", choices: ["Send", "Don't send"] }, answer)
    }
  })

  test("is approved for one call alone, by an answer to its own question", function*() {
    const { sentBy, settled, tasks, works } = yield* makeOffice
    const mail = (id: string) => call(id, "send_email", { to: "evil@x.org", subject: "Hi", body: id })
    const first = yield* works("Write", [asks(mail("one"), mail("two"))])
    yield* tasks.answer(first.id, "Send", by(alice), { call: "one" })
    const second = yield* settled(first.id)
    assert.deepInclude(second, { status: "waiting_input", last_tool_call_id: "[\"one\",\"two\"]" })
    assert.deepStrictEqual(second.approvals.map(({ status }) => status), ["approved", "open"])
    assert.lengthOf(yield* sentBy(first.id), 0, "all of a turn are decided first")
    // A second press of the first question's button.
    const late = yield* Effect.flip(tasks.answer(first.id, "Send", by(alice), { call: "one" }))
    assert.match(late.message, /The call one is approved already by alice/)
    // Neither does an answer that names none, whatever asks when it arrives.
    for (const send of [tasks.answer(first.id, "Send", by(alice)), tasks.message(first.id, "send", by(alice))]) {
      assert.match((yield* Effect.flip(Effect.asVoid(send))).message, /answer it with its tool_call_id/)
    }
    // Of a channel that can't tell which question it answers.
    yield* tasks.answer(first.id, "Send", by(alice), { approves: false })
    assert.strictEqual((yield* settled(first.id)).status, "waiting_input")
    yield* tasks.answer(first.id, "Don't send", by(alice), { call: "two" })
    assert.strictEqual((yield* settled(first.id)).status, "completed")
    assert.lengthOf(yield* sentBy(first.id), 1)
  })
})
