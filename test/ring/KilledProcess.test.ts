import { assert, it } from "@effect/vitest"
import { Effect, Queue, Random } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { audit } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
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
import { makeModelServer } from "../support/ModelServer.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const kills = 4

it.scopedLive("One process, killed again and again at any moment, ends every task once", () =>
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const model = yield* makeLineModel({
      label: "one",
      latency: ({ name }, turn) => 20 + (name.length * 7 + turn * 13) % 30
    })
    const process = start("all", {
      ...deployment.environment,
      ...ports.environment,
      ...shortLeases,
      ...model.environment("responses"),
      // Each kill is a death of the process of whatever was at work.
      TASK_SUSPECT_PAUSE: 0.3
    })
    const first = yield* process
    const submitting = yield* Effect.fork(submitAll(taskClient(ports.http), lineTasks("killed", 40, 6)))

    let current = first
    for (let kill = 0; kill < kills; kill++) {
      const before = yield* stepCount(deployment.url)
      const more = yield* Random.nextIntBetween(20, 120)
      yield* until(`${more} steps more`, Effect.map(stepCount(deployment.url), (count) => count >= before + more))
      yield* Effect.sleep(yield* Random.nextIntBetween(0, 40))
      yield* current.signal("SIGKILL")
      yield* current.ended
      current = yield* process
    }
    const accepted = yield* submitting
    yield* allEnded(deployment.url, "60 seconds")

    const { recoveries } = yield* audit({ ...deployment, accepted, labels: { [ports.address]: model.label } })
    assert.isAbove(recoveries, 0, "the kills hit tasks at work")
  }).pipe(Effect.withRandom(Random.make("ring"))), 180_000)

processTest("An effect whose result was not saved in time is reported as uncertain, and not repeated", function*() {
  const deployment = yield* makeDeployment()
  const ports = yield* makePorts
  const server = yield* makeModelServer()
  yield* server.script(
    { calls: [{ name: "write_file", arguments: { path: "log.txt", content: "once\n", append: true } }] },
    { text: "Never received.", delay: 30_000 },
    { text: "Better look first." }
  )
  const process = start("all", { ...deployment.environment, ...ports.environment, OPENAI_BASE_URL: server.url })
  const client = taskClient(ports.http)
  const first = yield* process
  const id = yield* client.submit("uncertain", { message: "write it down" })
  yield* Queue.take(server.arrivals)
  yield* Queue.take(server.arrivals)
  yield* first.signal("SIGKILL")
  yield* first.ended
  // As if the kill had come a moment earlier: after the write, before its result was in the journal.
  yield* query(
    deployment.url,
    `with undone as (delete from steps where body like '{"kind":"results"%' returning task_id)
update actors set seq = seq - 1 from undone where actors.task_id = undone.task_id`
  )
  yield* process
  yield* until("the task ends", Effect.map(client.find(id), ({ status }) => status === "completed"))

  const written = yield* Effect.promise(() => readFile(join(deployment.storage, "default", "log.txt"), "utf8"))
  assert.strictEqual(written, "once\n")
  const bodies = (yield* server.bodies).map((body) => JSON.stringify(body))
  assert.match(bodies.at(-1) ?? "", /Error: uncertain\. .*write_file.* It was not run again\./)
})
