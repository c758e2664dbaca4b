import { assert } from "@effect/vitest"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { alice, bob, claim, givenCompleted, givenTask, givenWaiting, request } from "../support/GivenTasks.ts"
import { says, scriptedModel } from "../support/ScriptedModel.ts"
import { rowsOf } from "../support/TaskRows.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"
import { lastRequest, tell } from "./taskMessages.ts"

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

  test("finds no task where there is none", function*() {
    const tasks = yield* Tasks
    const nowhere = TaskId.make("019a0000-0000-7000-8000-00000000dead")
    assert.deepInclude(yield* Effect.flip(tasks.message(nowhere, "Hello", Option.none())), { _tag: "TaskNotFound" })
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
