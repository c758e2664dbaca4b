import { assert } from "@effect/vitest"
import { audit } from "../support/Audit.ts"
import { freshDatabase } from "../support/Database.ts"
import { allEnded, lineTasks, makeDeployment, makePorts, processTest, submitAll } from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { makeLossyProxy } from "./LossyProxy.ts"

processTest("What the database has committed counts once, though its answer was lost on the way", function*() {
  const proxy = yield* makeLossyProxy(yield* freshDatabase)
  const deployment = yield* makeDeployment(proxy.url)
  const ports = yield* makePorts
  const model = yield* makeLineModel({ label: "one", latency: () => 20 })
  yield* start("all", { ...deployment.environment, ...ports.environment, ...model.environment("responses") })
  const client = taskClient(ports.http)

  // From here on the process holds its shards and runs new tasks at once.
  const first = yield* submitAll(client, lineTasks("first", 1, 1))
  yield* allEnded(deployment.url, "60 seconds")

  proxy.lose("tasks_insert_claimed", 3)
  proxy.lose("claims_take", 2)
  proxy.lose("journal_append", 5)
  const accepted = yield* submitAll(client, lineTasks("lost", 20, 4))
  yield* allEnded(deployment.url, "60 seconds")

  assert.strictEqual(proxy.left(), 0, "each was lost as often as it was to be")
  yield* audit({ ...deployment, accepted: [...first, ...accepted], labels: { [ports.address]: model.label } })
})
