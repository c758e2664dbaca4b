import { assert } from "@effect/vitest"
import { type TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { type Claim } from "../../src/Task/Claim/Claims.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, bob, claim, givenTask, request, stepAfter } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

const carol = UserId.make("carol")
/** Of one test only. */
const newcomer = UserId.make("dora")

const givenAssigned = (assignee = carol) =>
  Effect.flatMap(Tasks, (tasks) => tasks.submit(request("Do it", { assignee: assignee })))

const fed = (user: UserId) =>
  Effect.flatMap(
    Notifications,
    (notifications) => notifications.list(user, { unread: false, limit: 100, cursor: Option.none() })
  ).pipe(
    Effect.map((list) => list.map(({ body, kind }) => [kind, body])),
    Effect.catchTag("UserNotFound", () => Effect.succeed("nobody" as const))
  )

/** The task says something, then asks and waits. */
const ask = (held: Claim, question: string) =>
  Effect.flatMap(Journal, (journal) =>
    journal.append(
      stepAfter(held, {
        kind: "results",
        results: [],
        notices: [`Before: ${question}`],
        asked: { id: ToolCallId.make("q"), question }
      })
    ))

const askAgain = (id: TaskId, question: string) => Effect.flatMap(claim(id), (held) => ask(held, question))

const complete = (id: TaskId) =>
  Effect.flatMap(Effect.zip(Journal, claim(id)), ([journal, held]) =>
    journal.append(
      stepAfter(held, {
        kind: "model",
        message: { role: "assistant", content: "Done.", tool_calls: [] },
        tokens: [1, 1],
        millis: 1,
        end: "answered"
      }, { inboxSeen: held.inboxSent })
    ))

inWorld("The assignee of a task", (test) => {
  test("is shown with it and lists it, and is a user from then on", function*() {
    const tasks = yield* Tasks
    yield* givenTask("Of nobody else")
    assert.strictEqual(yield* fed(newcomer), "nobody")
    const made = yield* givenAssigned(newcomer)
    assert.strictEqual(made.assignee, newcomer)
    assert.deepStrictEqual(yield* tasks.find(made.id), made)
    assert.deepStrictEqual(yield* listed({ assignee: newcomer }), ["Do it"])
    assert.deepStrictEqual(yield* fed(newcomer), [])
  })

  test("gets its questions and messages, its creator the end, in one statement a step", function*() {
    const tasks = yield* Tasks
    const line = yield* Wire
    const { id } = yield* givenAssigned()
    const held = yield* claim(id)
    line.sent.length = 0
    yield* ask(held, "Which?")
    assert.deepStrictEqual(line.sent.map(({ name }) => name), ["journal_append_tell"])
    yield* tasks.answer(id, "This one", Option.some(bob))
    yield* complete(id)
    assert.deepStrictEqual(yield* fed(carol), [["question", "Which?"], ["question", "Before: Which?"]])
    assert.deepStrictEqual(yield* fed(alice), [["completion", "Done."]])
    const failed = yield* givenAssigned()
    yield* tasks.cancel(failed.id, Option.none())
    assert.deepStrictEqual((yield* fed(alice))[0], ["failure", "Cancelled."])
    assert.strictEqual((yield* fed(carol)).length, 2)
  })

  test("is the first user who answers a task without one, and does not change after that", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask()
    const answered = (question: string, by: Option.Option<UserId>) =>
      Effect.gen(function*() {
        yield* askAgain(id, question)
        return (yield* tasks.answer(id, "Yes", by)).assignee
      })
    assert.isNull(yield* answered("One?", Option.none()))
    assert.strictEqual(yield* answered("Two?", Option.some(carol)), carol)
    assert.strictEqual(yield* answered("Three?", Option.some(bob)), carol)
    const questions = (entries: ReadonlyArray<ReadonlyArray<string>> | "nobody") =>
      entries === "nobody" ? entries : entries.flatMap(([, body]) => body?.startsWith("Before") ? [] : [body])
    assert.deepStrictEqual(questions(yield* fed(alice)), ["Two?", "One?"])
    assert.deepStrictEqual(questions(yield* fed(carol)), ["Three?"])
    assert.deepStrictEqual(yield* listed({ assignee: carol }), ["Do it"])
  })

  test("loses the task's notifications with it, as its creator does", function*() {
    const tasks = yield* Tasks
    const { id } = yield* givenAssigned()
    yield* askAgain(id, "Which?")
    yield* tasks.cancel(id, Option.none())
    assert.strictEqual((yield* fed(carol)).length, 2)
    yield* tasks.remove(id)
    yield* tasks.remove(id)
    assert.deepStrictEqual([yield* fed(carol), yield* fed(alice)], [[], []])
  })
})
