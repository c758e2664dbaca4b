import { assert } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { request } from "../Http/RawHttp.ts"
import { troupeHere } from "../support/CommandLine.ts"
import { makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { freePort, start, until } from "../support/Processes.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"

/** Milliseconds of processor time: three times what the longest of these turns take, and less than any fault so far. */
const limit = 500

/** Measures the event loop of the process that is started with this environment. */
const makeEventLoop = Effect.map(freePort, (port) => ({
  environment: {
    NODE_OPTIONS: `--import=${new URL("../support/eventLoop.mjs", import.meta.url).href}`,
    EVENT_LOOP_PORT: port
  },
  /** Processor time that five turns in a row took at most since this was last read, in milliseconds. */
  longest: Effect.map(request(port, { path: "/" }), ({ status, text }) => {
    assert.strictEqual(status, 200)
    return Number(text)
  })
}))

const ended = (client: TaskClient, id: string) =>
  until(
    "the task ends",
    Effect.map(client.find(id), ({ status }) => status === "completed" || status === "failed"),
    "60 seconds"
  ).pipe(Effect.zipRight(client.find(id)))

const answer = "The first call of each task streams its text, because its caller said that it watches."

const lineIn = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ event: Schema.String, data: Schema.Unknown })))
const Delta = Schema.Struct({ delta: Schema.String })

const textIn = (stdout: string): string =>
  stdout.trimEnd().split("\n").map((line) => lineIn(line)).map(({ data, event }) =>
    event === "text" ? Schema.decodeUnknownSync(Delta)(data).delta : ""
  ).join("")

processTest(
  "No text of a request and no stream of a model keeps the process from answering, and who watches sees a text as it is written",
  function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const streams = [{ text: "x".repeat(20_000), chunk: 1 }, { text: "y".repeat(9_000_000), packet: 1000 }]
    const server = yield* makeModelServer({
      // A model is asked to stream once somebody watches; until then the task goes on from step to step.
      script: ({ body }) => {
        if (body.includes("Say it")) return { text: answer, chunk: 8, packet: 200, pace: 20 }
        if (!body.includes("Watched")) return undefined
        const stream = body.includes("\"stream\":true") ? streams.shift() : undefined
        return stream ?? { calls: [{ name: "list_directory", arguments: {} }], delay: 200 }
      }
    })
    const eventLoop = yield* makeEventLoop
    yield* start("all", {
      ...deployment.environment,
      ...ports.environment,
      ...eventLoop.environment,
      USE_LOCAL_MODEL: "true",
      LOCAL_MODEL_URL: server.url,
      LOCAL_MODEL: "fake"
    })
    const client = taskClient(ports.http)
    // The turns of the start are not measured: modules are loaded in one of them.
    yield* eventLoop.longest

    const blanks = " ".repeat(20_000)
    for (const message of [`Say it${blanks}b`, `Say it${"\n".repeat(90_000)}y`]) {
      const task = yield* ended(client, yield* client.submit(String(message.length), { message }))
      assert.isBelow(yield* eventLoop.longest, limit, "blanks")
      assert.strictEqual(task.status, "completed")
    }

    const spaces = " ".repeat(15_000)
    const types = [`application/json${spaces}x`, `application/json;${spaces}charset=utf-8${spaces.slice(0, 200)}x`]
    const refused = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, index) => types[index % 2] ?? ""),
      (type) => request(ports.http, { method: "POST", path: "/chat", headers: { "content-type": type }, body: "{}" }),
      { concurrency: 40 }
    )
    for (const { status } of refused) assert.strictEqual(status, 415)
    assert.isBelow(yield* eventLoop.longest, limit, "content types")

    for (const [left, outcome] of [[1, "completed"], [0, "failed"]] as const) {
      const id = yield* client.submit(outcome, { message: "Watched" })
      yield* Effect.forkScoped(Stream.runDrain(client.events(id)))
      yield* until("the model streams", Effect.sync(() => streams.length === left))
      const task = yield* ended(client, id)
      assert.isBelow(yield* eventLoop.longest, limit, outcome)
      assert.strictEqual(task.status, outcome, task.error ?? "")
      if (outcome === "completed") assert.strictEqual(task.outputs[0]?.content?.length, 20_000)
      else assert.match(task.error ?? "", /sent an event of more than 4 MiB/)
    }

    // The command says that it watches: the only call of each task streams, whole.
    const troupe = troupeHere(ports.http)
    for (let run = 0; run < 3; run++) {
      const { code, stderr, stdout } = yield* troupe(["submit", "--watch", "--json", "Say it"])
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(textIn(stdout), answer)
    }
    const streamed = (yield* server.requests).slice(-3).map(({ body }) => /"stream":\s*true/.test(body))
    assert.deepStrictEqual(streamed, [true, true, true])
  }
)
