import { assert } from "@effect/vitest"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Effect, Exit, Scope } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { audit, steps } from "../support/Audit.ts"
import {
  allEnded,
  lineTasks,
  makeDeployment,
  makePorts,
  processTest,
  shortLeases,
  stepCount,
  submitAll
} from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { folderWithCluster, kill, serverPid } from "../support/PostgresFolder.ts"
import { freePort, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

processTest(
  "While the database is unavailable requests are put off, and afterwards all goes on with nothing lost",
  function*() {
    const folder = yield* folderWithCluster
    const port = yield* freePort
    yield* Effect.promise(() => writeFile(join(folder, "port"), String(port)))
    const serve = EmbeddedPostgres.start({ dataDir: folder, durable: true })
    const firstTerm = yield* Scope.fork(yield* Effect.scope, { _tag: "Sequential" })
    const deployment = yield* makeDeployment(yield* Scope.extend(serve, firstTerm))
    const ports = yield* makePorts
    const model = yield* makeLineModel({ label: "one", latency: () => 100 })
    yield* start("all", {
      ...deployment.environment,
      ...ports.environment,
      ...shortLeases,
      ...model.environment("responses")
    })
    const client = taskClient(ports.http)

    const early = yield* submitAll(client, lineTasks("early", 20, 6))
    yield* until("the tasks are under way", Effect.map(stepCount(deployment.url), (count) => count >= 80))
    yield* Scope.close(firstTerm, Exit.void)
    const late = yield* Effect.fork(submitAll(client, lineTasks("late", 10, 2)))
    const asked = [
      yield* client.send("POST", "/chat", { message: "not now" }),
      yield* client.send("GET", "/tasks"),
      yield* client.send("GET", `/task/${early[0]?.id}`)
    ]
    for (const { body, headers, status } of asked) {
      assert.deepInclude(body, { type: "/problems/unavailable", status: 503 })
      assert.strictEqual(status, 503)
      assert.match(headers["retry-after"] ?? "", /^\d+$/)
      assert.match(headers["content-type"] ?? "", /^application\/problem\+json/)
    }
    assert.strictEqual((yield* client.send("GET", "/health")).status, 503)
    // Longer than a worker may go without a heartbeat.
    yield* Effect.sleep("4 seconds")
    assert.strictEqual(yield* serverPid(folder), 0, "the server is away")
    yield* serve
    const accepted = [...early, ...yield* late]
    yield* allEnded(deployment.url, "60 seconds")

    const before = yield* stepCount(deployment.url)
    const last = yield* submitAll(client, lineTasks("last", 20, 4))
    yield* until("they are under way", Effect.map(stepCount(deployment.url), (count) => count >= before + 50))
    const killed = yield* serverPid(folder)
    yield* kill(killed)
    yield* until("another server starts", Effect.map(serverPid(folder), (pid) => pid !== killed && pid !== 0))
    yield* until(
      "the database is back",
      Effect.map(client.send("GET", "/tasks?limit=1"), ({ status }) => status === 200),
      "60 seconds"
    )
    yield* allEnded(deployment.url, "60 seconds")
    yield* audit({ ...deployment, accepted: [...accepted, ...last], labels: { [ports.address]: model.label } })
    const counted = (yield* steps(deployment.url)).filter(({ body }) =>
      body.kind === "woken" && body.deaths !== undefined
    )
    assert.deepStrictEqual(counted, [], "the process was there all the time")
  }
)
