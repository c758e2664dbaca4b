import { assert } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import { Clock, Deferred, Effect, HashMap, Logger, LogLevel, Option, Stream } from "effect"
import { OnModelRetry } from "../../src/Model/ModelRetry.ts"
import { databaseClock } from "../../src/Task/Actor/ActorRuntime.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Runners } from "../../src/Task/Read/Runners.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { OnToolProgress } from "../../src/Tool/OnToolProgress.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { alice, claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
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

interface Line {
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** Collects what is logged at info. */
const makeLog = () => {
  const lines: Array<Line> = []
  const logger = Logger.make(({ annotations, logLevel, message }) => {
    if (logLevel._tag === "Info") {
      lines.push({ message: String(message), facts: Object.fromEntries(HashMap.toEntries(annotations)) })
    }
  })
  const logged = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Logger.withMinimumLogLevel(LogLevel.Info), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  return { lines, logged }
}

const hour = 3_600_000

/** Puts the task to sleep for so long. */
const later = (millis: number) =>
  tool(
    "later",
    "read",
    Effect.map(Clock.currentTimeMillis, (now) => ({ _tag: "Deferred" as const, until: now + millis, content: "late" }))
  )

/** Actors of a runner whose clock is so far ahead of ours. */
const runnerAhead = (millis: number, ...turns: ReadonlyArray<Turn>) =>
  Effect.flatMap(Effect.clock, (clock) =>
    makeEntities({ scripted: scriptedModel(...turns), tools: [later(300)] }).pipe(
      Effect.withClock(databaseClock(clock, clock.unsafeCurrentTimeMillis() + millis))
    ))

inWorld("A run", (test) => {
  test("with a repeated call of the model shows it in the log, the events and the time for which the task waits", function*() {
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

  test("with a repeated call of the model ends when another one has claimed the task meanwhile", function*() {
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

  test("with a repeated call of the model counts neither an attempt at the step nor a step of the agent", function*() {
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

  test("with a repeated call of the model notes it once, whichever calls wait at the same time, also those of tools", function*() {
    const tasks = yield* Tasks
    const scripted = scriptedModel(asks(call("c1", "ask_model"), call("c2", "ask_model")))
    yield* startWorker({ scripted, tools: [fakeTool("ask_model", Effect.as(failedAttempt, "A word"))] })
    const id = yield* givenTask()
    const done = yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    assert.strictEqual(done.logs.filter(({ message }) => message === text).length, 1)
    assert.strictEqual(done.usage.tool_calls, 2)
  })

  test("shows the progress of a tool call in the task's log, at most once a second at first", function*() {
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

  test("has a line in the log of the service when a task starts, waits, resumes and ends: who, how long, and how many tokens", function*() {
    const { lines, logged } = makeLog()
    const scripted = scriptedModel(asks(call("a1", "ask_human", { question: "Secret?" })), says("Secret."))
    const { wake } = yield* logged(makeEntities({ scripted, tools: [askHuman] }))
    const id = yield* givenTask("Secret")
    yield* wake(yield* claim(id))
    yield* (yield* TaskCommands).answer(id, "Secret", null)
    yield* wake(yield* claim(id))
    const ofTask = lines.filter(({ facts }) => facts["task_id"] === id)
    assert.deepStrictEqual(
      ofTask.map(({ facts, message }) => [message, facts["user_id"], facts["tokens"], facts["model_calls"]]),
      [
        ["Task started", alice, undefined, undefined],
        ["Task waits for an answer", alice, 15, 1],
        ["Task resumed", alice, undefined, undefined],
        ["Task completed", alice, 30, 2]
      ]
    )
    assert.isAtLeast(Number(ofTask.at(-1)?.facts["run_ms"]), 0)
    assert.notInclude(JSON.stringify(ofTask), "Secret")
  })

  test("has a line in the log of the service when a task is cancelled", function*() {
    const { lines, logged } = makeLog()
    const tasks = yield* Tasks
    const id = yield* givenTask()
    yield* logged(tasks.remove(id))
    assert.deepStrictEqual(lines, [{ message: "Task cancelled", facts: { task_id: id } }])
  })

  for (const [first, second] of [[hour, -hour], [-hour, hour]] as const) {
    test(`sleeps and wakes by the database's clock on runners whose clocks differ, the first ${first > 0 ? "ahead" : "behind"}`, function*() {
      const { query } = yield* Wire
      const putsToSleep = yield* runnerAhead(first, asks(call("c1", "later")))
      const wakes = yield* runnerAhead(second, says("Awake."))
      const id = yield* givenTask()
      assert.strictEqual(yield* putsToSleep.wake(yield* claim(id)), "settled")
      const { updated_at, wake_at } = yield* rowOf(id)
      assert.isAtMost((wake_at?.getTime() ?? Infinity) - updated_at.getTime(), 300)

      const due = query("select from actors where task_id = $1 and wake_at <= now()", [id])
      yield* eventually(due, ({ length }) => length === 1)
      assert.strictEqual(yield* wakes.wake(yield* claim(id)), "settled")
      assert.include(yield* rowOf(id), { status: "completed" })
      assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), [
        "woken",
        "model",
        "results",
        "woken",
        "results",
        "model"
      ])
    })
  }
})
