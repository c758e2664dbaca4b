import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import type { TaskStep } from "@troupe/domain/TaskStep"
import { Chunk, Effect, Option, Queue, Schema, Stream } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { TaskSteps } from "../../src/Task/UseCase/TaskSteps.ts"
import { eventStream } from "../Model/remote.ts"
import { type ModelTurn } from "../support/ModelServer.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { answer, calling, ended, resultOf, startAgent, submitted } from "./answeringModel.ts"

/** A provider's answer as a stream of deltas, which have no reason for their end. */
const stream = (...deltas: ReadonlyArray<object>): ModelTurn => ({
  status: 200,
  headers: eventStream,
  body: deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`)
    .join("") + "data: [DONE]\n\n"
})

const fragment = (id: string, called: object) => ({
  tool_calls: [{ index: 0, id, type: "function", function: called }]
})

const reasoning = { content: null, reasoning_content: "The user wants a list.", ...calling }

const stepsOf = (id: TaskId) =>
  Effect.flatMap(TaskSteps, ({ list }) => list(id, { limit: 100 })).pipe(
    Effect.map(({ items }): ReadonlyArray<TaskStep> => items.toReversed()),
    Effect.provide(TaskSteps.layer)
  )

/** The steps that people are notified of. */
const notified = (id: TaskId) =>
  Effect.flatMap(Wire, ({ query }) =>
    query<{ body: string }>(
      "select s.body from notifications n join steps s on s.task_id = n.task_id and s.seq = n.seq where n.task_id = $1",
      [id]
    ))

const messagesIn = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({ messages: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })) })
  )
)

const thinking = [
  "<think>They want it short.</think>It is Friday.",
  "They want it short.</think>It is Friday.",
  "<thought>They want it short.</thought>\n\nIt is Friday."
]

const inPieces = (content: string) => stream(...Array.from(content, (character) => ({ content: character })))

inWorld("What a model provider answers", (test) => {
  test("a thinking model that wants its reasoning_content back with a tool turn gets it, also after a crash", function*() {
    const wanting = (body: string): ModelTurn => {
      const answers = messagesIn(body).messages.filter(({ role }) => role === "assistant")
      if (answers.length === 0) return answer(reasoning)
      return answers.every(({ reasoning_content: said }) => said === reasoning.reasoning_content)
        ? answer({ content: "One file." })
        : { status: 400, body: { error: { message: "The reasoning_content must be passed back to the API." } } }
    }
    let mayAnswer = false
    const { ran, server, start } = yield* startAgent({
      script: (body) => !mayAnswer && body.includes("1 file") ? { hang: true } : wanting(body)
    })
    const first = yield* start
    const { id } = yield* submitted()
    yield* Queue.take(server.arrivals)
    yield* Queue.take(server.arrivals)
    yield* first.stop
    mayAnswer = true
    yield* start
    assert.strictEqual(resultOf(yield* ended(id)), "One file.")
    assert.deepStrictEqual(ran, ["list_directory"])
    const [step] = (yield* stepsOf(id)).filter(({ kind }) => kind === "model")
    assert.deepInclude(step, { thinking: "The user wants a list.", text: null })
  })

  test("streamed fragments of one call: same index, another id each, name in the first only: one call", function*() {
    const { ran, server, start } = yield* startAgent()
    yield* server.script(
      stream(
        fragment("call_a", { name: "write_file", arguments: "" }),
        fragment("call_b", { arguments: "{\"path\": \"a.txt\"," }),
        fragment("call_c", { arguments: " \"content\": \"x\"}" })
      ),
      stream({ content: "Written." })
    )
    yield* start
    const { id } = yield* submitted(true)
    assert.strictEqual(resultOf(yield* ended(id)), "Written.")
    assert.deepStrictEqual(ran, [{ path: "a.txt", content: "x" }])
  })

  test("a name in two pieces (list_, directory): names grow", function*() {
    const { ran, server, start } = yield* startAgent()
    yield* server.script(
      stream(
        fragment("call_a", { name: "list_", arguments: "" }),
        fragment("call_a", { name: "directory", arguments: "{}" })
      ),
      stream({ content: "One file." })
    )
    yield* start
    const { id } = yield* submitted(true)
    assert.strictEqual(resultOf(yield* ended(id)), "One file.")
    assert.deepStrictEqual(ran, ["list_directory"])
  })

  for (const content of thinking) {
    test(`${JSON.stringify(content)} in the content: shown as thinking in the step, no part of the answer`, function*() {
      const { server, start } = yield* startAgent()
      yield* server.script(answer({ content }), inPieces(content))
      yield* start
      for (const live of [false, true]) {
        const { id, outputs } = yield* Effect.flatMap(submitted(live), ({ id }) => ended(id))
        assert.deepStrictEqual(outputs.map((output) => output.content), ["It is Friday."])
        const [step] = (yield* stepsOf(id)).filter(({ kind }) => kind === "model")
        assert.deepInclude(step, { text: "It is Friday.", thinking: "They want it short." })
        const [notice] = yield* notified(id)
        assert.include(notice?.body, "\"content\":\"It is Friday.\"")
      }
    })
  }
})

inWorld("The live text of an answer", (test) => {
  test("has nothing of the thinking in the content", function*() {
    const tasks = yield* Tasks
    // Text that is written before somebody reads is lost, so the answer waits for the reader.
    const reader = yield* Effect.makeLatch()
    const { server, start } = yield* startAgent({ inWorldCluster: true, gate: reader.await })
    yield* start
    for (const content of thinking) {
      yield* reader.close
      yield* server.script(stream(calling), inPieces(content))
      const { id } = yield* submitted(true)
      const events = yield* Stream.runCollect(Stream.tap(yield* tasks.events(id, Option.none()), () => reader.open))
      const texts = Chunk.toReadonlyArray(events).map((event) => event._tag === "text" ? event.delta : "")
      assert.strictEqual(texts.join(""), "It is Friday.")
    }
  })
})
