import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Chunk, Duration, Effect, Layer, Option, Stream } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Model } from "../../src/Model/Model.ts"
import { withRetries } from "../../src/Model/ModelCalls.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, request } from "../support/GivenTasks.ts"
import { hanging, says, type ScriptedModel, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

const prices = { scripted: { input: 1, output: 1_000_000 } }

/** The model with its retries, as the service has it. */
const retried = ({ model }: ScriptedModel) =>
  Layer.succeed(Model, {
    ...model,
    generate: withRetries(model, { maxRetries: 0, totalTimeout: Duration.infinity })
  })

/** Writes 40 characters, about ten tokens, then hangs. */
const writesAndHangs = () => {
  const { seen, turn } = hanging()
  const writing: Turn = ({ onText = () => Effect.void, ...rest }) => Effect.zipRight(onText("y".repeat(40)), turn(rest))
  return { seen, turn: writing }
}

/** A watched task whose call has got some text. */
const givenWriting = (more: Partial<Parameters<typeof startWorker>[0]> = {}, ...later: ReadonlyArray<Turn>) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const { seen, turn } = writesAndHangs()
    const scripted = { layer: retried(scriptedModel(turn, ...later)) }
    yield* startWorker({ scripted, prices, ...more })
    const { id } = yield* tasks.submit(request("Write a lot", { live: true }))
    yield* eventually(Effect.sync(() => seen.begun), (begun) => begun === 1)
    return id
  })

const counted = (id: TaskId) =>
  Effect.flatMap(Tasks, (tasks) => eventually(tasks.find(id), ({ usage }) => usage.model_calls > 0))

inWorld("A call of the model that is cut off", (test) => {
  test("counts for the task that is cancelled, by estimate, also after a retry", function*() {
    const tasks = yield* Tasks
    const notifications = yield* Notifications
    const id = yield* givenWriting({}, says("Done."))
    yield* tasks.cancel(id, Option.none())
    const { ended_by, error, logs, usage } = yield* counted(id)
    assert.deepStrictEqual([ended_by, error], ["cancelled", "Cancelled."])
    assert.deepInclude(usage, { model_calls: 1, output_tokens: 10 })
    assert.isAbove(usage.input_tokens, 10)
    assert.closeTo(usage.cost ?? 0, 10, 0.1)
    const line = logs.at(-1)
    assert.strictEqual(line?.message, "A model call was cut off after about 10 tokens of its answer")
    assert.deepInclude(line?.data, { output_tokens: 10, estimated: true })
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(yield* tasks.events(id, Option.none())))
    assert.deepInclude(events.at(-1), { _tag: "status", status: "failed", ended_by: "cancelled" })

    yield* tasks.retry(id)
    const done = yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    assert.deepInclude(done.usage, {
      model_calls: 2,
      input_tokens: usage.input_tokens + 10,
      output_tokens: usage.output_tokens + 5
    })
    const unread = yield* notifications.list(alice, { unread: true, limit: 10, cursor: Option.none() })
    assert.deepStrictEqual(unread.map(({ kind }) => kind), ["completion"], "the failure needs no attention")
  })

  test("counts for the task whose step took too long", function*() {
    const tasks = yield* Tasks
    const limit = Duration.seconds(1)
    const id = yield* givenWriting({ maxCrashes: 0, stepTimeout: { parent: limit, subagent: limit } })
    const task = yield* eventually(tasks.find(id), ({ status }) => status === "failed")
    assert.deepInclude(task, { ended_by: "failure" })
    assert.deepInclude(task.usage, { model_calls: 1, output_tokens: 10 })
  })
})
