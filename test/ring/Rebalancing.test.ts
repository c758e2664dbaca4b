import { assert } from "@effect/vitest"
import { Array as Arrays, Effect, Queue } from "effect"
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
  submitAll
} from "../support/Deployment.ts"
import { makeLineModel } from "../support/LineModel.ts"
import { start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

const count = 40

processTest(
  "A worker that joins takes over tasks whose steps hang at the first, which repeats and loses no committed step",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const firstPorts = yield* makePorts
    const secondPorts = yield* makePorts
    // The first turn is answered, and the second never is.
    const firstModel = yield* makeLineModel({ label: "first", latency: (_, turn) => turn === 0 ? 0 : 600_000 })
    const secondModel = yield* makeLineModel({ label: "second", latency: () => 0 })
    // The locks last as long as by default: with shorter ones, a worker that stalls on a slow machine loses its shards.
    const locks = { SHARD_LOCK_EXPIRATION: 7 }
    const environment = { ...deployment.environment, ...shortLeases, ...locks }
    const [, first] = yield* Effect.all([
      start("api", { ...environment, ...apiPorts.environment }),
      start("worker", { ...environment, ...firstPorts.environment, ...firstModel.environment("responses") })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, [firstPorts.address])
    const accepted = yield* submitAll(taskClient(apiPorts.http), lineTasks("hanging", count, 3))
    const { arrivals, hangUps } = firstModel.server
    yield* Queue.takeN(arrivals, 2 * count)
    const before = Arrays.groupBy(yield* steps(deployment.url), ({ task_id }) => task_id)

    yield* start("worker", { ...environment, ...secondPorts.environment, ...secondModel.environment("chat") })
    yield* haveShards(deployment.url, [firstPorts.address, secondPorts.address])
    const completed = query<{ id: string }>(
      deployment.url,
      "select task_id as id from actors where status = 'completed'"
    )
    yield* until("tasks move and complete", Effect.map(completed, ({ length }) => length >= 5))
    const moved = yield* completed
    yield* until(
      "the first has ended the calls of the tasks that moved",
      Effect.map(Queue.size(hangUps), (interrupted) => interrupted >= moved.length)
    )

    const after = Arrays.groupBy(yield* steps(deployment.url), ({ task_id }) => task_id)
    for (const { id } of accepted) {
      const committed = before[id] ?? []
      assert.deepStrictEqual(committed.map(({ body }) => body.kind), ["woken", "model", "started", "results"], id)
      assert.deepStrictEqual(after[id]?.slice(0, committed.length), committed, id)
      const reasons = (after[id] ?? []).flatMap(({ body }) => body.kind === "woken" ? [body.reason] : [])
      assert.notInclude(reasons, "recovery", `${id} counts no crash and no death of a process`)
    }

    yield* first.signal("SIGKILL")
    yield* allEnded(deployment.url, "60 seconds")
    const { recoveries, uncertain } = yield* audit({
      ...deployment,
      accepted,
      labels: { [firstPorts.address]: firstModel.label, [secondPorts.address]: secondModel.label }
    })
    assert.isAtMost(recoveries, count - moved.length, "only the kill counts a death")
    assert.strictEqual(uncertain, 0)
  }
)
