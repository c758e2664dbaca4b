import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { audit, steps } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import {
  allEnded,
  haveShards,
  lineTasks,
  makeDeployment,
  makePorts,
  processTest,
  stepCount,
  submitAll
} from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

processTest(
  "The tasks of a killed worker move to the other within ten seconds, with the settings as they are",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const killedPorts = yield* makePorts
    const successorPorts = yield* makePorts
    // However long the tasks take to be submitted, the worker to be killed works on its own when it is killed.
    const killedModel = yield* makeLineModel({ label: "killed", latency: (_, turn) => turn < 3 ? 300 : 600_000 })
    const successorModel = yield* makeLineModel({ label: "successor", latency: () => 300 })
    const [, killedWorker] = yield* Effect.all([
      start("api", { ...deployment.environment, ...apiPorts.environment }),
      start("worker", {
        ...deployment.environment,
        ...killedPorts.environment,
        ...killedModel.environment("responses")
      }),
      start("worker", {
        ...deployment.environment,
        ...successorPorts.environment,
        ...successorModel.environment("chat")
      })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, [killedPorts.address, successorPorts.address])

    const accepted = yield* submitAll(taskClient(apiPorts.http), lineTasks("moved", 200, 4))
    yield* until("the tasks are well under way", Effect.map(stepCount(deployment.url), (count) => count >= 700))
    yield* killedWorker.signal("SIGKILL")
    yield* killedWorker.ended
    const [kill] = yield* query<{ at: Date }>(deployment.url, "select clock_timestamp() as at")
    const at = kill?.at.getTime() ?? 0
    const orphans = yield* query<{ id: string }>(
      deployment.url,
      "select task_id as id from actors where runner = $1 and status = 'running' and wake_at is not null",
      [killedPorts.address]
    )
    assert.isAbove(orphans.length, 20, "the kill hit many tasks at work")
    yield* allEnded(deployment.url, "60 seconds")

    const journal = yield* steps(deployment.url)
    const delays = orphans.map(({ id }) => {
      const taken = journal.find((row) =>
        row.task_id === id && row.at.getTime() > at && row.body.kind === "woken"
        && row.body.runner === successorPorts.address
      )
      return taken === undefined ? Number.POSITIVE_INFINITY : taken.at.getTime() - at
    })
    assert.isAtMost(Math.max(...delays), 10_000, "milliseconds until the last of them moved again")
    yield* audit({
      ...deployment,
      accepted,
      labels: { [killedPorts.address]: killedModel.label, [successorPorts.address]: successorModel.label }
    })
  }
)
