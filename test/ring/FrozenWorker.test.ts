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
  shortLeases,
  stepCount,
  submitAll
} from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

processTest(
  "A worker that was frozen while another took its tasks writes nothing, and works again afterwards",
  function*() {
    const deployment = yield* makeDeployment()
    const frozenPorts = yield* makePorts
    const successorPorts = yield* makePorts
    let isFrozen = false
    // However long the tasks take to be submitted, the worker to be frozen works on its own when it is frozen.
    const frozenModel = yield* makeLineModel({
      label: "frozen",
      latency: (_, turn) => isFrozen || turn < 6 ? 250 : 600_000
    })
    const successorModel = yield* makeLineModel({ label: "successor", latency: () => 250 })
    const settings = { ...deployment.environment, ...shortLeases }
    const [frozenWorker] = yield* Effect.all([
      start("worker", { ...settings, ...frozenPorts.environment, ...frozenModel.environment("chat") }),
      start("all", { ...settings, ...successorPorts.environment, ...successorModel.environment("responses") })
    ], { concurrency: "unbounded" })
    const both = [frozenPorts.address, successorPorts.address]
    yield* haveShards(deployment.url, both)
    const client = taskClient(successorPorts.http)

    const before = yield* submitAll(client, lineTasks("before", 24, 8))
    yield* until("the tasks are well under way", Effect.map(stepCount(deployment.url), (count) => count >= 90))
    isFrozen = true
    yield* frozenWorker.signal("SIGSTOP")
    const heldByFrozen = query<{ id: string }>(
      deployment.url,
      "select task_id as id from actors where runner = $1 and status = 'running' and wake_at is not null",
      [frozenPorts.address]
    )
    assert.isAbove((yield* heldByFrozen).length, 5, "many tasks froze with it")
    yield* until("the other has taken them all", Effect.map(heldByFrozen, (held) => held.length === 0))
    yield* frozenWorker.signal("SIGCONT")
    yield* allEnded(deployment.url, "60 seconds")

    yield* haveShards(deployment.url, both)
    const after = yield* submitAll(client, lineTasks("after", 20, 2))
    yield* allEnded(deployment.url, "60 seconds")
    const runners = (yield* steps(deployment.url)).flatMap(({ body, task_id }) =>
      body.kind === "woken" && after.some(({ id }) => id === task_id) ? [body.runner] : []
    )
    assert.includeMembers(runners, both, "both take part again")
    yield* audit({
      ...deployment,
      accepted: [...before, ...after],
      labels: { [frozenPorts.address]: frozenModel.label, [successorPorts.address]: successorModel.label }
    })
  }
)
