import { assert } from "@effect/vitest"
import { Effect, HashMap, Logger, LogLevel } from "effect"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { alice, claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"

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

inWorld("The log of the service", (test) => {
  test("has a line when a task starts, waits, resumes and ends: who, how long, and how many tokens", function*() {
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

  test("has a line when a task is cancelled", function*() {
    const { lines, logged } = makeLog()
    const tasks = yield* Tasks
    const id = yield* givenTask()
    yield* logged(tasks.remove(id))
    assert.deepStrictEqual(lines, [{ message: "Task cancelled", facts: { task_id: id } }])
  })
})
