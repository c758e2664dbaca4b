import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { givenCompleted, givenTask, givenWaiting } from "../../support/GivenTasks.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { check, mailText, outcomes, withFile } from "./inbox.ts"
import { answering, inboxOf, inThread, quoted, statusOf } from "./replies.ts"

inWorld("A reply without words of its own", (test) => {
  test("answers nothing, whether the task waits or is finished", function*() {
    const id = yield* Effect.flatMap(givenWaiting(), inThread)
    const server = yield* makeImapServer
    server.deliver(mailText(quoted, answering))
    yield* check(server.settings())
    assert.deepStrictEqual(yield* outcomes, ["ignored"])
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    const { query } = yield* Wire
    yield* query("delete from task_threads")
    yield* Effect.flatMap(givenCompleted(), inThread)
    server.deliver(mailText(quoted, answering))
    yield* check(server.settings())
    assert.deepStrictEqual(yield* outcomes, ["ignored", "ignored"])
  })

  test("but with files tells of those that were left out, and quotes as data", function*() {
    const id = yield* Effect.flatMap(givenTask(), inThread)
    const server = yield* makeImapServer
    server.deliver(withFile(quoted, "tool.exe", "MZ", answering))
    yield* check(server.settings())
    const [message] = yield* inboxOf(id)
    assert.match(message?.text ?? "", /^See the attached files\.\n/)
    assert.include(message?.text ?? "", "<left_out>\ntool.exe: its extension is not one of")
    assert.match(message?.text ?? "", /<mail_quoted>[^]*Which one\?[^]*<\/mail_quoted>$/)
  })

  test("or with them waits once its sender has reached the limit", function*() {
    const id = yield* Effect.flatMap(givenTask(), inThread)
    const server = yield* makeImapServer
    for (const text of ["One", "Two", "Three"]) server.deliver(mailText(text, answering))
    yield* check(server.settings(), { maxPerSender: 2 })
    assert.deepStrictEqual(yield* outcomes, ["message", "message", null])
    assert.strictEqual((yield* inboxOf(id)).length, 2)
  })
})
