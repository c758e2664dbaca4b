import { assert } from "@effect/vitest"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Option } from "effect"
import { makeMailPlans } from "../../../src/Intake/Mail/MailPlans.ts"
import { Senders } from "../../../src/People/Senders.ts"
import { UserRepo } from "../../../src/People/UserRepo.ts"
import { Tasks } from "../../../src/Task/Tasks.ts"
import { TaskThreads } from "../../../src/Task/TaskThreads.ts"
import { parseMail } from "../../../src/Wire/MailParser.ts"
import { outboxRows } from "../../support/Deliveries.ts"
import { givenTask, takeStep } from "../../support/GivenTasks.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { check, mailText, outcomes, taskRows } from "./inbox.ts"
import { alice, answering, inThread } from "./replies.ts"

inWorld("A mail", (test) => {
  test("of an unknown sender makes a task without effects outside, until somebody enters the address", function*() {
    const { query } = yield* Wire
    yield* query("delete from users where id = 'ada@example.net'")
    const server = yield* makeImapServer
    const send = (text: string) => Effect.suspend(() => (server.deliver(mailText(text)), check(server.settings())))
    yield* send("First")
    yield* send("Second")
    const { override } = yield* Effect.provide(UserRepo, UserRepo.layer)
    yield* override(UserId.make("ada@example.net"), { email: "ada@example.net" })
    yield* send("Third")
    const access = yield* query<{ tool_access: string }>("select tool_access from tasks order by id")
    assert.deepStrictEqual(access.map(({ tool_access }) => tool_access), ["own", "own", "all"])
    const told = (yield* taskRows).map(({ context }) => /Its sender is not known here/.test(context ?? ""))
    assert.deepStrictEqual(told, [true, true, false])
  })

  test("of an unknown sender gives no more tools to what continues a task that ends meanwhile", function*() {
    const id = yield* Effect.flatMap(givenTask(), inThread)
    const mail = yield* parseMail(Buffer.from(mailText("Go on", answering)))
    const content = { address: alice, mail, isCut: false, folder: "mail/1" }
    const sender = { id: UserId.make("alice"), role: "member", isKnown: false, caller: selfHostedCaller } as const
    const plans = yield* Effect.provide(makeMailPlans, [Senders.layer, TaskThreads.layer])
    const planned = Effect.flatten(plans.reply(content, Option.some(sender)))
    const { act } = yield* planned
    const tasks = yield* Tasks
    yield* tasks.cancel(id, Option.none())
    const again = Effect.flatMap(planned, (next) => next.act)
    yield* Effect.catchTag(act, "TaskStateConflict", () => again)
    const { query } = yield* Wire
    const access = yield* query("select tool_access from tasks where continued_from = $1", [id])
    assert.deepStrictEqual(access, [{ tool_access: "own" }])
  })

  test("of an unknown sender causes one mail to that address, and each further one another", function*() {
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const server = yield* makeImapServer
    const send = (text: string, headers = {}) =>
      Effect.suspend(
        () => (server.deliver(mailText(text, { From: "bea@example.net", ...headers })), check(server.settings()))
      )
    const mails = Effect.map(outboxRows, (rows) => rows.filter(({ channel }) => channel === "email").length)
    const asks = (id: string): Step => ({
      kind: "results",
      results: [],
      notices: ["I am at it."],
      asked: { id: ToolCallId.make(id), question: "Which one?" }
    })
    yield* send("Hello", { "Message-ID": "<first@example.net>" })
    const id = TaskId.make((yield* taskRows)[0]?.id ?? "")
    yield* takeStep(id, asks("ask1"), { attempts: 0 })
    assert.strictEqual(yield* mails, 1)
    yield* tasks.answer(id, "Blue", Option.none())
    yield* takeStep(id, asks("ask2"), { attempts: 0 })
    assert.strictEqual(yield* mails, 1)
    yield* tasks.cancel(id, Option.none())
    yield* tasks.retry(id)
    yield* takeStep(id, asks("ask3"), { attempts: 0 })
    assert.strictEqual(yield* mails, 1)
    for (const text of ["Red", "Green", "Yellow"]) yield* send(text, { "In-Reply-To": "<first@example.net>" })
    assert.deepStrictEqual(yield* outcomes, ["task", "answer", "message", "message"])
    yield* tasks.cancel(id, Option.none())
    assert.strictEqual(yield* mails, 2)
    const read = yield* query("select from notifications where user_id = 'bea@example.net'")
    assert.strictEqual(read.length, 8)
  })

  test("of a sender who is known by then causes any number", function*() {
    const { query } = yield* Wire
    const server = yield* makeImapServer
    server.deliver(mailText("Hello", { From: "zoe@example.net", "Message-ID": "<first@example.net>" }))
    yield* check(server.settings())
    const { override } = yield* Effect.provide(UserRepo, UserRepo.layer)
    yield* override(UserId.make("zoe@example.net"), { email: "zoe@example.net" })
    server.deliver(mailText("In red", { From: "zoe@example.net", "In-Reply-To": "<first@example.net>" }))
    yield* check(server.settings())
    assert.deepStrictEqual(yield* query("select replies_left from tasks"), [{ replies_left: null }])
  })
})
