import * as Tool from "@effect/ai/Tool"
import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import type { Task } from "@troupe/domain/Task"
import type { TaskStep } from "@troupe/domain/TaskStep"
import { Chunk, Effect, Option, Queue, Schema, Stream } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { TaskSteps } from "../../src/Task/UseCase/TaskSteps.ts"
import { implement } from "../../src/Tool/ToolHandler.ts"
import { eventStream, modelLayer } from "../Model/remote.ts"
import { eventually } from "../support/Eventually.ts"
import { request } from "../support/GivenTasks.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

/** A provider's whole answer. */
const answer = (message: object, more: object = {}): ModelTurn => ({
  status: 200,
  body: {
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
    usage: { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 },
    ...more
  }
})

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

const calling = {
  tool_calls: [{ id: "call_a", type: "function", function: { name: "list_directory", arguments: "{}" } }]
}

const reasoning = { content: null, reasoning_content: "The user wants a list.", ...calling }

const textCall = "<tool_call>\n{\"name\": \"list_directory\", \"arguments\": {}}\n</tool_call>"

const fileParameters = {
  path: Schema.String.annotations({ description: "Path" }),
  content: Schema.String.annotations({ description: "Text" })
}

interface AgentOptions {
  readonly script?: (body: string) => ModelTurn | undefined
  readonly inWorldCluster?: boolean
  /** What `list_directory` waits for. */
  readonly gate?: Effect.Effect<void>
}

/** A worker whose agent has two tools and a model behind HTTP. `ran` has the calls of the tools. */
const startAgent = ({ gate = Effect.void, inWorldCluster = false, script }: AgentOptions = {}) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer(script === undefined ? {} : { script: ({ body }) => script(body) })
    const ran: Array<unknown> = []
    const tools = [
      implement(Tool.make("list_directory", { description: "Lists" }), {
        changes: "nothing",
        timeout: "1 minute",
        run: () => Effect.map(gate, () => `${ran.push("list_directory")} file`)
      }),
      implement(Tool.make("write_file", { description: "Writes", parameters: fileParameters }), {
        changes: "own",
        effect: "outside",
        timeout: "1 minute",
        run: (file) => Effect.sync(() => `${ran.push(file)} file`)
      })
    ]
    const layer = modelLayer(server.settings("local", { maxRetries: 0 }))
    const start = startWorker({ scripted: { layer }, tools, inWorldCluster })
    return { server, ran, start }
  })

const isOver = ({ status }: Task) => status === "completed" || status === "failed"

const ended = (id: TaskId) => Effect.flatMap(Tasks, (tasks) => eventually(tasks.find(id), isOver))

/** With `live`, as if it were watched: the model streams. */
const submitted = (live = false) => Effect.flatMap(Tasks, (tasks) => tasks.submit(request("What day is it?", { live })))

const stepsOf = (id: TaskId) =>
  Effect.flatMap(TaskSteps, ({ list }) => list(id, { limit: 100 })).pipe(
    Effect.map(({ items }): ReadonlyArray<TaskStep> => items.toReversed()),
    Effect.provide(TaskSteps.layer)
  )

const resultOf = ({ outputs }: Task) => outputs.map(({ content }) => content).join()

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

  test("a call written as text: asked once more with a hint how to call, never run", function*() {
    const { ran, server, start } = yield* startAgent()
    yield* server.script(
      answer({ content: textCall }),
      answer({ content: null, ...calling }),
      answer({ content: "One file." })
    )
    yield* start
    const { id } = yield* submitted()
    assert.strictEqual(resultOf(yield* ended(id)), "One file.")
    assert.deepStrictEqual(ran, ["list_directory"])
    const bodies = (yield* server.requests).map(({ body }) => body)
    assert.deepStrictEqual(bodies.map((body) => body.includes("which was not run")), [false, true, false])
  })

  test("a call written as text, the second time: a failure that says so, also with a crash in between", function*() {
    const { ran, server, start } = yield* startAgent()
    yield* server.script(answer({ content: textCall }), { hang: true }, answer({ content: textCall }))
    const first = yield* start
    const { id } = yield* submitted()
    yield* Queue.take(server.arrivals)
    yield* Queue.take(server.arrivals)
    yield* first.stop
    yield* start
    const task = yield* ended(id)
    assert.strictEqual(task.status, "failed")
    assert.match(task.error ?? "", /^The model called list_directory in the text of its answer/)
    assert.deepStrictEqual(task.outputs, [])
    assert.deepStrictEqual(ran, [])
    assert.lengthOf(yield* server.requests, 3)
  })

  for (const content of ["", null, " \n", []]) {
    test(`a turn of tools, then the answer ${JSON.stringify(content)}: asked once more, then a plain end that says it`, function*() {
      const { server, start } = yield* startAgent()
      yield* server.script(
        answer({ content: null, ...calling }),
        answer({ content }),
        answer({ content: "One file." }),
        answer({ content: null, ...calling }),
        answer({ content }),
        answer({ content, reasoning_content: "Nothing to add." })
      )
      yield* start
      const once = yield* Effect.flatMap(submitted(), ({ id }) => ended(id))
      assert.strictEqual(resultOf(once), "One file.")
      const twice = yield* Effect.flatMap(submitted(), ({ id }) => ended(id))
      assert.match(
        resultOf(twice),
        /^The task ended without an answer of the agent\. The model answered with nothing, also when .*- list_directory: 2 file$/s
      )
      assert.lengthOf(yield* server.requests, 6)
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
