import { assert } from "@effect/vitest"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Option } from "effect"
import { Outbox } from "../../../src/Delivery/Outbox.ts"
import { makeMailPlans } from "../../../src/Intake/Mail/MailPlans.ts"
import { Senders } from "../../../src/People/Team/Senders.ts"
import { UserRepo } from "../../../src/People/User/UserRepo.ts"
import { TaskThreads } from "../../../src/Task/Read/TaskThreads.ts"
import { Tasks } from "../../../src/Task/UseCase/Tasks.ts"
import { parseMail } from "../../../src/Wire/MailParser.ts"
import { outboxRows } from "../../support/Deliveries.ts"
import { givenTask, takeStep } from "../../support/GivenTasks.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { alice, answering, inThread, mailText, outcomes, received, taskRows } from "./inbox.ts"

inWorld("A mail", (test) => {
  test("of an unknown sender makes a task without effects outside, until somebody enters the address", function*() {
    const { query } = yield* Wire
    yield* query("delete from users where id = 'ada@example.net'")
    yield* received([mailText("First"), mailText("Second")])
    const { override } = yield* Effect.provide(UserRepo, UserRepo.layer)
    yield* override(UserId.make("ada@example.net"), { email: "ada@example.net" })
    yield* received([mailText("Third")])
    const access = yield* query<{ tool_access: string }>("select tool_access from tasks order by id")
    assert.deepStrictEqual(access.map(({ tool_access }) => tool_access), ["own", "own", "all"])
    const told = (yield* taskRows).map(({ context }) => /Its sender is not known here/.test(context ?? ""))
    assert.deepStrictEqual(told, [true, true, false])
  })

  test("from the former address of a user is not that user's, although its id is the address", function*() {
    const { query } = yield* Wire
    const { override } = yield* Effect.provide(UserRepo, UserRepo.layer)
    for (const [name, email] of [["cleo", "cleo@new.example"], ["dora", null]] as const) {
      const former = UserId.make(`${name}@example.net`)
      const from = (text: string) => mailText(`${text} from ${name}`, { From: former })
      yield* received([from("First")])
      yield* override(former, { email })
      yield* received([from("Second"), from("Third")])
      const [first, ...others] = yield* query<{ creator: string; tool_access: string }>(
        "select creator, tool_access from tasks where description like '%from ' || $1 order by id",
        [name]
      )
      assert.strictEqual(first?.creator, former)
      const [{ creator } = { creator: "" }] = others
      assert.notStrictEqual(creator, former)
      assert.deepStrictEqual(others, [{ creator, tool_access: "own" }, { creator, tool_access: "own" }])
    }
  })

  test("of an unknown sender gives no more tools to what continues a task that ends meanwhile", function*() {
    const id = yield* Effect.flatMap(givenTask(), inThread)
    const mail = yield* parseMail(Buffer.from(mailText("Go on", answering)))
    const content = { address: alice, mail, isCut: false, folder: "mail/1" }
    const sender = { id: UserId.make("alice"), role: "member", isKnown: false, caller: selfHostedCaller } as const
    const plans = yield* Effect.provide(makeMailPlans({ ownAddresses: [], console: null }), [
      Senders.layer,
      TaskThreads.layer,
      Outbox.layer
    ])
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
    const first = { From: "bea@example.net", "Message-ID": "<first@example.net>" }
    const reply = { From: "bea@example.net", "In-Reply-To": "<first@example.net>" }
    const mails = Effect.map(outboxRows, (rows) => rows.filter(({ channel }) => channel === "email").length)
    const asks = (id: string): Step => ({
      kind: "results",
      results: [],
      notices: ["I am at it."],
      asked: { id: ToolCallId.make(id), question: "Which one?" }
    })
    yield* received([mailText("Hello", first)])
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
    yield* received(["Red", "Green", "Yellow"].map((text) => mailText(text, reply)))
    assert.deepStrictEqual(yield* outcomes, ["task", "answer", "message", "message"])
    yield* tasks.cancel(id, Option.none())
    assert.strictEqual(yield* mails, 2)
    const read = yield* query("select from notifications where user_id = 'bea@example.net'")
    assert.strictEqual(read.length, 8)
  })

  test("of a sender who is known by then causes any number", function*() {
    const { query } = yield* Wire
    yield* received([mailText("Hello", { From: "zoe@example.net", "Message-ID": "<first@example.net>" })])
    const { override } = yield* Effect.provide(UserRepo, UserRepo.layer)
    yield* override(UserId.make("zoe@example.net"), { email: "zoe@example.net" })
    yield* received([mailText("In red", { From: "zoe@example.net", "In-Reply-To": "<first@example.net>" })])
    assert.deepStrictEqual(yield* query("select replies_left from tasks"), [{ replies_left: null }])
  })
})
