import { assert } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { Deferred, Effect, Option, Stream } from "effect"
import { OnModelRetry } from "../../src/Model/ModelRetry.ts"
import { Runners } from "../../src/Task/Runners.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { OnToolProgress } from "../../src/Tool/OnToolProgress.ts"
import { eventually } from "../support/Eventually.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"

const reason = "OpenAI could not be reached or hung up (ECONNREFUSED)"
const text = `Model call failed: ${reason}; attempt 2 of 5 in 4 s`

const failedAttempt = Effect.flatMap(
  OnModelRetry,
  (tell) => tell({ call: "model", reason, attempt: 2, attempts: 5, pause: 4_000 })
)

/** A call whose first attempt fails; the next one begins once `retried`. */
const failsOnce = (retried: Deferred.Deferred<void>, answer: Turn): Turn => (request) =>
  Effect.gen(function*() {
    yield* failedAttempt
    yield* Deferred.await(retried)
    return yield* answer(request)
  })

inWorld("A call of the model that is made again", (test) => {
  test("is a line of the task's log and of its events, and the time for which it waits", function*() {
    const tasks = yield* Tasks
    const { statusOf } = yield* Runners
    const retried = yield* Deferred.make<void>()
    const scripted = scriptedModel(failsOnce(retried, says("Done.")))
    yield* startWorker({ scripted })
    const id = yield* givenTask()
    const line = yield* Stream.runHead(
      Stream.filter(
        yield* tasks.events(id, Option.none()),
        (event) => event._tag === "log" && event.entry.event === "model"
      )
    )
    assert.deepInclude(Option.getOrThrow(line), { _tag: "log" })
    const { logs, waiting_for } = yield* tasks.find(id)
    assert.deepInclude(logs.at(-1), {
      level: "warning",
      event: "model",
      message: text,
      data: { attempt: 2, attempts: 5, pause_ms: 4_000 }
    })
    const { last_step_at, next_wakeup_at } = yield* statusOf(id)
    assert.strictEqual(Date.parse(next_wakeup_at ?? "") - Date.parse(last_step_at ?? ""), 4_000)
    assert.strictEqual(waiting_for?.reason, "retry")
    assert.strictEqual(waiting_for?.until, next_wakeup_at)
    assert.deepStrictEqual([waiting_for?.count, waiting_for?.limit], [2, 5])
    assert.strictEqual(waiting_for?.detail, `A call of the model failed; attempt 2 of 5 starts at ${next_wakeup_at}`)

    // What is said meanwhile is read after the call.
    yield* tasks.message(id, "Be brief", Option.none())
    yield* Deferred.succeed(retried, undefined)
    const done = yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    assert.strictEqual(done.usage.model_calls, 2)
    assert.strictEqual(scripted.requests[1]?.messages.at(-1)?.content, "Be brief")
    assert.isNull((yield* statusOf(id)).next_wakeup_at)
  })

  test("leaves the run to whoever claimed the task meanwhile", function*() {
    const tasks = yield* Tasks
    const retried = yield* Deferred.make<void>()
    const scripted = scriptedModel(failsOnce(retried, says("Too late.")))
    const { wake } = yield* makeEntities({ scripted })
    const { query } = yield* Wire
    const id = yield* givenTask()
    const held = yield* claim(id)
    yield* query("update actors set epoch = epoch + 1 where task_id = $1", [id])
    yield* Deferred.succeed(retried, undefined)
    assert.strictEqual(yield* wake(held), "fenced")
    assert.deepStrictEqual((yield* tasks.find(id)).outputs, [])
  })

  test("counts as no attempt at the step, and as no step of the agent", function*() {
    const tasks = yield* Tasks
    const retried = yield* Deferred.make<void>()
    yield* Deferred.succeed(retried, undefined)
    const crash: Turn = failsOnce(retried, () => Effect.die(new Error("a defect")))
    const scripted = scriptedModel(crash, crash, crash, crash)
    yield* startWorker({ scripted, maxCrashes: 1 })
    const id = yield* givenTask()
    const failed = yield* eventually(tasks.find(id), ({ status }) => status === "failed")
    assert.match(failed.error ?? "", /crashed 2 times at the same step/)
    assert.strictEqual(failed.logs.filter(({ message }) => message === text).length, 2)
    assert.strictEqual(failed.iteration_count, 0)
  })

  test("is told of once, whichever calls wait at the same time, also those of tools", function*() {
    const tasks = yield* Tasks
    const scripted = scriptedModel(asks(call("c1", "ask_model"), call("c2", "ask_model")))
    yield* startWorker({ scripted, tools: [fakeTool("ask_model", Effect.as(failedAttempt, "A word"))] })
    const id = yield* givenTask()
    const done = yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    assert.strictEqual(done.logs.filter(({ message }) => message === text).length, 1)
    assert.strictEqual(done.usage.tool_calls, 2)
  })
})

inWorld("The progress of a tool call", (test) => {
  test("is in the task's log, at most once a second at first", function*() {
    const tasks = yield* Tasks
    const advanced = Effect.flatMap(
      OnToolProgress,
      (tell) =>
        Effect.forEach(
          [1, 2, 3],
          (progress) => tell({ call: ToolCallId.make("c1"), tool: "files__copy", progress, total: 3, message: "b.txt" })
        )
    )
    const scripted = scriptedModel(asks(call("c1", "copy")), says("Done."))
    yield* startWorker({ scripted, tools: [fakeTool("copy", Effect.as(advanced, "Copied"))] })
    const id = yield* givenTask()
    const done = yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    const lines = done.logs.filter(({ event }) => event === "tool_call" || event === "tool_result")
    assert.deepStrictEqual(lines.map(({ message }) => message), ["copy", "files__copy: 1 of 3: b.txt", "copy: Copied"])
    assert.deepStrictEqual(lines[1]?.data, { id: "c1", name: "files__copy", progress: 1, total: 3, text: "b.txt" })
    assert.strictEqual(done.usage.tool_calls, 1)
  })
})
