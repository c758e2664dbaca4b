import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Schema } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { storedModel, workerModels } from "../Model/registry.ts"
import { eventually } from "../support/Eventually.ts"
import { textTool } from "../support/FakeTool.ts"
import { request } from "../support/GivenTasks.ts"
import { makeModelServer, type ModelRequestSeen, type ModelTurn } from "../support/ModelServer.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

const down = { status: 503, body: "" }

const isSummary = ({ body }: ModelRequestSeen) => body.includes("You keep the memory of an agent")

/** A provider whose calls this answers; undefined: the next turn of its script. */
const serverOf = (answer: (seen: ModelRequestSeen, calls: number) => ModelTurn | undefined) =>
  Effect.suspend(() => {
    let calls = 0
    return makeModelServer({
      strict: false,
      script: (seen) => seen.kind === "chat" ? answer(seen, ++calls) : undefined
    })
  })

const calling = (text: string): ModelTurn => ({ text: "", calls: [{ name: "look", arguments: { text } }] })

const looking = () => {
  const looked: Array<string> = []
  const tool = textTool("look", (text) =>
    Effect.sync(() => {
      looked.push(text)
      return `Seen: ${text}`
    }))
  return { looked, tool }
}

const completed = (message: string, more: Parameters<typeof request>[1] = {}) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const { id } = yield* tasks.submit(request(message, more))
    return yield* eventually(tasks.find(id), ({ status }) => status === "completed" || status === "failed")
  })

const Body = Schema.parseJson(
  Schema.Struct({
    kind: Schema.String,
    model: Schema.optional(Schema.String),
    next: Schema.optional(Schema.String),
    because: Schema.optional(Schema.String),
    summary: Schema.optional(Schema.NullOr(Schema.String))
  })
)

/** What the journal has of the calls of the model. */
const modelSteps = (id: TaskId) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const rows = yield* query<{ body: string }>(
      "select body::text as body from steps where task_id = $1 order by seq",
      [id]
    )
    const steps = yield* Effect.forEach(rows, ({ body }) => Schema.decode(Body)(body))
    return steps.flatMap(({ because, kind, model, next }) =>
      kind === "model" || kind === "compacted" || kind === "model_failed"
        ? [[kind, next ?? because, model].filter((word) => word !== undefined).join(" ")]
        : []
    )
  })

inWorld("A model that fails in the middle of a task", (test) => {
  test("of its streamed answer, is replaced by the fallback, whose answer alone is the result", function*() {
    const main = yield* serverOf((_, calls) =>
      calls === 1 ? calling("once") : { text: "Half of the answer of the main model", chunk: 4, cut: true }
    )
    const backup = yield* serverOf(() => ({ text: "The answer of the backup." }))
    const { looked, tool } = looking()
    yield* startWorker({
      scripted: { layer: workerModels({ main: storedModel(main), backup: storedModel(backup) }) },
      tools: [tool]
    })
    const task = yield* completed("Look once", { live: true })
    assert.strictEqual(task.status, "completed", task.error ?? "")
    assert.deepStrictEqual(task.outputs.map(({ content }) => content), ["The answer of the backup."])
    assert.deepStrictEqual(looked, ["once"])
    assert.deepStrictEqual(yield* modelSteps(task.id), [
      "model main",
      "model_failed backup main",
      "model backup"
    ])
    const lines = task.logs.filter(({ event }) => event === "model")
    assert.include(lines[1]?.message, "The model main failed")
    assert.include(lines[1]?.message, "the fallback backup makes the call")
    assert.deepInclude(lines[2]?.data, { model: "backup" })
  })

  test("of a summary, is replaced for that and for what follows", function*() {
    const main = yield* serverOf((seen, calls) => isSummary(seen) ? down : calling(`main ${calls}`))
    const backup = yield* serverOf((seen) => ({
      text: isSummary(seen) ? "A summary of the backup." : "Done by the backup."
    }))
    const { looked, tool } = looking()
    yield* startWorker({
      scripted: { layer: workerModels({ main: storedModel(main), backup: storedModel(backup) }) },
      tools: [tool],
      compaction: { threshold: 4, maxRecent: 2, contextTokens: 100_000 }
    })
    const task = yield* completed("Look twice")
    assert.strictEqual(task.status, "completed", task.error ?? "")
    assert.deepStrictEqual(looked, ["main 1", "main 2"])
    assert.deepStrictEqual(yield* modelSteps(task.id), [
      "model main",
      "model main",
      "model_failed backup main",
      "compacted messages backup",
      "model backup"
    ])
    const sent = (yield* backup.requests).filter((seen) => seen.kind === "chat")
    assert.deepStrictEqual(sent.map(isSummary), [true, false])
    assert.include(sent[1]?.body, "A summary of the backup.")
  })

  test("leaves a long conversation to a fallback with a smaller window, which summarises it first", function*() {
    const long = "All that was seen. ".repeat(1_000)
    const main = yield* serverOf((_, calls) => calls <= 3 ? calling(`${calls}`) : down)
    const backup = yield* serverOf((seen) => ({ text: isSummary(seen) ? "In short." : "Done by the backup." }))
    const tool = textTool("look", (text) => Effect.succeed(`${text}: ${long}`))
    yield* startWorker({
      scripted: {
        layer: workerModels({
          main: storedModel(main),
          backup: storedModel(backup, { context_tokens: 8_000 })
        })
      },
      tools: [tool]
    })
    const task = yield* completed("Look three times")
    assert.strictEqual(task.status, "completed", task.error ?? "")
    assert.deepStrictEqual(yield* modelSteps(task.id), [
      "model main",
      "model main",
      "model main",
      "model_failed backup main",
      "compacted tokens backup",
      "model backup"
    ])
    for (const { body, kind } of yield* backup.requests) if (kind === "chat") assert.isBelow(body.length, 8_000 * 4)
  })

  test("of a subagent, is replaced there, and the parent goes on with its result", function*() {
    const isSubagent = ({ body }: ModelRequestSeen) => body.includes("Look for the parent")
    const dispatch = { name: "dispatch_subagent", arguments: { task_description: "Look for the parent" } }
    const main = yield* serverOf((seen, calls) =>
      calls === 1 ? { text: "", calls: [dispatch] } : isSubagent(seen) ? down : undefined
    )
    const backup = yield* serverOf(() => ({ text: "Seen by the backup." }))
    yield* startWorker({
      scripted: { layer: workerModels({ main: storedModel(main), backup: storedModel(backup) }) },
      tools: [dispatchSubagent]
    })
    const task = yield* completed("Let somebody look")
    assert.strictEqual(task.status, "completed", task.error ?? "")
    const { query } = yield* Wire
    const children = yield* query<{ id: TaskId }>("select id from tasks where parent_task_id = $1", [task.id])
    assert.lengthOf(children, 1)
    const [child] = yield* Effect.forEach(children, ({ id }) => modelSteps(id))
    assert.deepStrictEqual(child, ["model_failed backup main", "model backup"])
  })
})
