import { assert } from "@effect/vitest"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { TaskId } from "@troupe/domain/Ids"
import { viewOf } from "@troupe/domain/Message"
import { Effect, Option } from "effect"
import { maxUnread } from "../../src/Task/Command/CommandStatements.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { dispatchSubagent, wait } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import {
  alice,
  bob,
  claim,
  givenCompleted,
  givenTask,
  givenWaiting,
  processRestarted,
  request
} from "../support/GivenTasks.ts"
import { asks, call, dies, says, type ScriptedModel, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { kindsOf, rowOf, rowsOf, statusOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"
import { cast, dispatch } from "./subtasks.ts"

const tell = (id: TaskId, text: string) =>
  Effect.flatMap(Tasks, (tasks) => tasks.message(id, text, Option.none())).pipe(Effect.orDie)

/** What the model was sent by its last call. */
const lastRequest = ({ requests }: ScriptedModel) =>
  (requests.at(-1)?.messages ?? []).map(viewOf).map(({ content, role }) => [role, content])

/** A turn during which a user sends a message. */
const meanwhile = (id: TaskId, text: string, turn: Turn) =>
  Effect.map(
    Tasks,
    (tasks): Turn => (request) => Effect.zipRight(Effect.provideService(tell(id, text), Tasks, tasks), turn(request))
  )

const look = tool("look", "read", Effect.succeed("nothing there"))

inWorld("A message to a running task", (test) => {
  test("is in the next model call, after the results of the turn", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask("Look for it")
    const first = yield* meanwhile(id, "In the cellar", asks(call("c1", "look")))
    const scripted = scriptedModel(first, says("Found."))
    const entities = yield* makeEntities({ scripted, tools: [look] })
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model", "results", "steered", "model"])
    assert.deepStrictEqual(lastRequest(scripted).map(([role]) => role), ["user", "assistant", "tool", "user"])
    assert.deepStrictEqual(lastRequest(scripted).at(-1), ["user", "In the cellar"])
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
    assert.strictEqual((yield* rowsOf(id))["inbox"], 0)
    const { logs } = yield* tasks.find(id)
    assert.include(logs.map(({ message }) => message), "A user sent a message: In the cellar")
  })

  test("that comes while the model gives its last answer is answered too, before the task completes", function*() {
    const tasks = yield* Tasks
    const id = yield* givenTask("Write a poem")
    const scripted = scriptedModel(yield* meanwhile(id, "A short one", says("A long poem.")), says("A poem."))
    const entities = yield* makeEntities({ scripted })
    assert.strictEqual(yield* entities.wake(yield* claim(id)), "settled")
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model", "steered", "model"])
    assert.deepStrictEqual(lastRequest(scripted), [
      ["user", "Write a poem"],
      ["assistant", "A long poem."],
      ["user", "A short one"]
    ])
    const task = yield* tasks.find(id)
    assert.deepStrictEqual(task.outputs.map(({ content }) => content), ["A poem."])
    assert.deepInclude(task, { status: "completed", tokens_used: 30 })
  })

  test("does not keep a task running that has read all of them", function*() {
    const { query } = yield* Wire
    const id = yield* givenTask()
    const counted: Turn = (request) =>
      Effect.zipRight(
        query("update actors set inbox_sent = inbox_sent + 1 where task_id = $1", [id]),
        says("Done.")(request)
      )
    const scripted = scriptedModel(counted)
    yield* (yield* makeEntities({ scripted })).wake(yield* claim(id))
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model"])
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
  })

  test("begins the limit of iterations anew", function*() {
    const tasks = yield* Tasks
    const limits = { soft: 1, hard: 1, recursion: 25 }
    const id = yield* givenTask()
    const last = yield* meanwhile(id, "And this", asks(call("c1", "look")))
    const scripted = scriptedModel(last, says("All done."))
    const entities = yield* makeEntities({ scripted, tools: [look], limits: { parent: limits, subagent: limits } })
    yield* entities.wake(yield* claim(id))
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "model", "steered", "results", "model"])
    const task = yield* tasks.find(id)
    assert.deepStrictEqual(task.outputs.map(({ content }) => content), ["All done."])
    assert.strictEqual(task.iteration_count, 2, "all of them count")
  })

  test("survives the end of its process, read or unread", function*() {
    const id = yield* givenTask("Go")
    const entities = yield* makeEntities({ scripted: scriptedModel(dies("out of memory")) })
    yield* tell(id, "First")
    yield* entities.wake(yield* claim(id))
    assert.deepStrictEqual(yield* kindsOf(id), ["woken", "steered", "crashed"])
    const before = yield* rowOf(id)
    yield* tell(id, "Second")
    assert.deepStrictEqual((yield* rowOf(id)).wake_at, before.wake_at, "it waits for its next attempt")
    const { query } = yield* Wire
    yield* query("update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1", [id])
    yield* claim(id)
    yield* processRestarted
    const scripted = scriptedModel(says("Done."))
    const others = yield* makeEntities({ scripted })
    yield* others.wake(yield* claim(id))
    assert.deepStrictEqual(lastRequest(scripted), [["user", "Go"], ["user", "First"], ["user", "Second"]])
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
    assert.strictEqual((yield* rowsOf(id))["inbox"], 0)
  })

  test("wakes one that sleeps, and cuts its wait short", function*() {
    const scripted = scriptedModel(asks(call("w1", "wait", { seconds: 3_600 })), says("I stopped waiting."))
    const entities = yield* makeEntities({ scripted, tools: [wait] })
    const id = yield* givenTask()
    yield* entities.wake(yield* claim(id))
    yield* tell(id, "Don't wait")
    yield* entities.wake(yield* claim(id))
    const [, result, message] = lastRequest(scripted).slice(-3)
    assert.include(result?.[1], "cut short by a message of the user")
    assert.deepStrictEqual(message, ["user", "Don't wait"])
    assert.deepInclude(yield* rowOf(id), { status: "completed" })
  })

  test("of one that waits for subagents is read with their results", function*() {
    const gate = yield* Effect.makeLatch(false)
    const scripted = cast({
      Plan: [asks(dispatch("a", "Part one"))],
      "Part one": [(request) => Effect.zipRight(gate.await, says("One.")(request))]
    })
    yield* startWorker({ scripted, tools: [dispatchSubagent] })
    const id = yield* givenTask("Plan it")
    const becomes = (status: string) => eventually(statusOf(id), (current) => current === status)
    yield* becomes("waiting_subagents")
    yield* tell(id, "Hurry")
    yield* eventually(kindsOf(id), (kinds) => kinds.includes("steered"))
    yield* becomes("waiting_subagents")
    yield* gate.open
    yield* becomes("completed")
    assert.deepStrictEqual(lastRequest(scripted).map(([role]) => role), ["user", "assistant", "tool", "user"])
    assert.deepStrictEqual(lastRequest(scripted).at(-1), ["user", "Hurry"])
  })

  test("is refused while the agent has not read many others", function*() {
    const tasks = yield* Tasks
    const commands = yield* TaskCommands
    const id = yield* givenTask()
    for (let n = 0; n < maxUnread; n++) assert.isTrue(yield* commands.steer(id, `${n}`, null))
    const error = yield* Effect.flip(tasks.message(id, "One more", Option.none()))
    assert.deepInclude(error, { _tag: "TaskStateConflict", status: "pending" })
    assert.include(error.message, `has not read the last ${maxUnread}`)
  })
})

inWorld("A message to a task that does not run", (test) => {
  test("answers the question of one that asks", function*() {
    const tasks = yield* Tasks
    const id = yield* givenWaiting("Which one?")
    const task = yield* tasks.message(id, "The second", Option.some(bob))
    assert.deepInclude(task, { id, status: "running", question: null, assignee: bob })
    const scripted = scriptedModel(says("The second it is."))
    yield* (yield* makeEntities({ scripted })).wake(yield* claim(id))
    assert.deepStrictEqual(lastRequest(scripted).at(-1), ["tool", "The second"])
  })

  test("continues a finished one by a new task of the same people", function*() {
    const tasks = yield* Tasks
    const done = yield* givenCompleted("Count them", "There are 7.")
    const next = yield* tell(done, "And the others?")
    assert.notStrictEqual(next.id, done)
    assert.deepInclude(next, {
      status: "pending",
      description: "And the others?",
      creator: alice,
      continued_from: done
    })
    const scripted = scriptedModel()
    yield* (yield* makeEntities({ scripted })).wake(yield* claim(next.id))
    assert.include(lastRequest(scripted)[0]?.[1], "There are 7.")
    const failed = yield* givenTask()
    yield* tasks.cancel(failed, Option.none())
    const again = yield* tasks.message(failed, "Try differently", Option.some(bob))
    assert.deepInclude(again, { creator: bob, continued_from: failed })
  })

  test("gives the continuation the token budget of its task", function*() {
    const tasks = yield* Tasks
    const { id } = yield* Effect.orDie(tasks.submit(request("Be brief", { max_tokens_total: 5_000 })))
    yield* tasks.cancel(id, Option.none())
    assert.deepInclude(yield* tell(id, "Go on"), { continued_from: id, token_budget: 5_000 })
  })
})

inWorld("A message with an Idempotency-Key", (test) => {
  const once = (id: TaskId, text: string, key = "k1", digest = text) =>
    Effect.flatMap(
      Tasks,
      (tasks) => tasks.messageOnce(id, text, Option.none(), { caller: selfHostedCaller, key, digest })
    )

  test("reaches the agent once, however often it is sent and at the same time", function*() {
    const id = yield* givenTask()
    yield* claim(id)
    const sent = yield* Effect.all([once(id, "Hurry"), once(id, "Hurry")], { concurrency: 2 })
    assert.deepStrictEqual([...sent, yield* once(id, "Hurry")].map((task) => task.id), [id, id, id])
    assert.strictEqual((yield* rowsOf(id))["inbox"], 1)
    const other = yield* Effect.flip(once(id, "Slow down"))
    assert.deepInclude(other, { _tag: "IdempotencyConflict", because: "other body" })
    yield* once(id, "Slow down", "k2")
    assert.strictEqual((yield* rowsOf(id))["inbox"], 2)
  })

  test("makes one continuation of a finished task, and leaves the key free where it is refused", function*() {
    const id = yield* givenCompleted()
    const next = yield* once(id, "Again")
    assert.deepInclude(next, { continued_from: id, description: "Again" })
    assert.strictEqual((yield* once(id, "Again")).id, next.id)
    const nobody = TaskId.make("00000000-0000-7000-8000-000000000000")
    assert.deepInclude(yield* Effect.flip(once(nobody, "Hello", "k3")), { _tag: "TaskNotFound" })
    assert.strictEqual((yield* once(id, "Hello", "k3")).continued_from, id)
  })
})
