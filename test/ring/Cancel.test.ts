import { assert } from "@effect/vitest"
import { Clock, Effect, Queue } from "effect"
import { query } from "../support/Database.ts"
import { haveShards, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

// Idempotency keys outlive their tasks by a day, so that a late repetition makes no second one.
const tables = ["tasks", "actors", "steps", "inbox"]

processTest(
  "A cancel and a delete reach the model call within two seconds, a retry goes on after it, two deletes leave nothing",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const ports = yield* makePorts
    const server = yield* makeModelServer()
    yield* Effect.all([
      start("api", { ...deployment.environment, ...apiPorts.environment }),
      start("worker", {
        ...deployment.environment,
        ...ports.environment,
        USE_LOCAL_MODEL: "true",
        LOCAL_MODEL_URL: server.url
      })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, [ports.address])
    const client = taskClient(apiPorts.http)
    const write = (content: string) => ({
      name: "write_file",
      arguments: { path: "notes.txt", content, append: true }
    })

    yield* server.script(
      { text: "A first note.", calls: [write("one\n")] },
      { text: "Too late.", delay: 30_000 },
      { text: "A second note.", calls: [write("two\n")] },
      { text: "Both notes are there." }
    )
    const id = yield* client.submit("cancelled", { message: "take two notes" })
    // Its first call, and the second, which lasts.
    yield* Queue.take(server.arrivals)
    yield* Queue.take(server.arrivals)
    const before = yield* Clock.currentTimeMillis
    const cancelled = yield* client.send("POST", `/task/${id}/cancel`, { reason: "changed my mind" })
    assert.strictEqual(cancelled.status, 202)
    yield* Queue.take(server.hangUps)
    const millis = (yield* Clock.currentTimeMillis) - before
    assert.isAtMost(millis, 2_000, "milliseconds until the call was hung up")
    const failed = yield* client.find(id)
    assert.deepStrictEqual([failed.status, failed.error], ["failed", "Cancelled: changed my mind"])
    assert.strictEqual((yield* client.send("POST", `/task/${id}/cancel`, {})).status, 409)

    assert.strictEqual((yield* client.send("POST", `/task/${id}/retry`)).status, 202)
    yield* until("the retried task ends", Effect.map(client.find(id), ({ status }) => status === "completed"))
    const done = yield* client.find(id)
    assert.deepStrictEqual(done.outputs.map(({ content }) => content), ["Both notes are there."])
    assert.deepStrictEqual([done.usage.model_calls, done.usage.tool_calls], [3, 2])
    const bodies = (yield* server.bodies).map((body) => JSON.stringify(body))
    assert.strictEqual(bodies.length, 4)
    assert.include(bodies[2], "Added to notes.txt", "the retried call knows the step that was saved")
    assert.strictEqual((yield* client.send("POST", `/task/${id}/retry`)).status, 409)

    assert.strictEqual((yield* client.send("DELETE", `/task/${id}`)).status, 204)
    assert.isNotNull((yield* client.find(id)).archived_at)
    assert.strictEqual((yield* client.send("DELETE", `/task/${id}`)).status, 204)
    assert.strictEqual((yield* client.send("GET", `/task/${id}`)).status, 404)
    assert.strictEqual((yield* client.send("DELETE", `/task/${id}`)).status, 404)
    for (const table of tables) {
      assert.deepStrictEqual(yield* query(deployment.url, `select * from ${table}`), [], `the rows left in ${table}`)
    }

    yield* Queue.takeAll(server.arrivals)
    yield* server.script({ text: "Too late.", delay: 30_000 })
    const archived = yield* client.submit("archived", { message: "this will take long" })
    yield* Queue.take(server.arrivals)
    assert.strictEqual((yield* client.send("DELETE", `/task/${archived}`)).status, 204)
    yield* Effect.timeout(Queue.take(server.hangUps), "2 seconds")
    const { archived_at, status } = yield* client.find(archived)
    assert.strictEqual(status, "failed")
    assert.isNotNull(archived_at)
    assert.strictEqual((yield* client.send("DELETE", `/task/${archived}`)).status, 204)
    assert.deepStrictEqual(yield* query(deployment.url, "select * from steps"), [])
  }
)
