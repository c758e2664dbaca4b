import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
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
import { start, terminated, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

processTest(
  "A worker that is told to stop finishes its steps, hands its tasks over and exits, and an API ends its streams and exits",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const stoppingPorts = yield* makePorts
    const remainingPorts = yield* makePorts
    // Some calls are waited for, and some last longer than a shutdown waits for a step: by the order in which tasks came
    // to this worker, so that it has calls of each kind whatever its shards are.
    const names: Array<string> = []
    const latency = ({ name }: { readonly name: string }, turn: number) => {
      if (!names.includes(name)) names.push(name)
      const order = names.indexOf(name) % 10
      return order === 3 ? 30_000 : order === 7 || turn > 4 ? 4_000 : 200
    }
    const stoppingModel = yield* makeLineModel({ label: "stopping", latency })
    const remainingModel = yield* makeLineModel({ label: "remaining", latency: () => 100 })
    const [api, stoppingWorker] = yield* Effect.all([
      start("api", { ...deployment.environment, ...apiPorts.environment }),
      start("worker", {
        ...deployment.environment,
        ...stoppingPorts.environment,
        ...stoppingModel.environment("responses")
      }),
      start("worker", {
        ...deployment.environment,
        ...remainingPorts.environment,
        ...remainingModel.environment("responses")
      })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, [stoppingPorts.address, remainingPorts.address])

    const accepted = yield* submitAll(taskClient(apiPorts.http), lineTasks("handed", 50, 6))
    yield* until("the tasks are well under way", Effect.map(stepCount(deployment.url), (count) => count >= 250))
    const held = yield* query<{ id: string }>(
      deployment.url,
      `select task_id as id from actors
where runner = $1 and status = 'running' and wake_at is not null`,
      [stoppingPorts.address]
    )
    assert.isAbove(held.length, 5, "it has many tasks at work")
    const end = yield* terminated(stoppingWorker)
    yield* allEnded(deployment.url, "60 seconds")

    assert.deepStrictEqual([end.code, end.signal], [0, null])
    assert.isAtLeast(end.millis, 6_500, "milliseconds that it waited for its steps")
    assert.isAtMost(end.millis, 15_000, "milliseconds until it had ended")
    const handedOver = (yield* steps(deployment.url)).filter(({ body, task_id }) =>
      body.kind === "woken" && body.runner === remainingPorts.address && held.some(({ id }) => id === task_id)
    )
    assert.isAbove(handedOver.length, 0, "tasks were handed over")
    const { uncertain } = yield* audit({
      ...deployment,
      accepted,
      labels: { [stoppingPorts.address]: stoppingModel.label, [remainingPorts.address]: remainingModel.label }
    })
    assert.strictEqual(uncertain, 0, "a current call is waited for")

    let seen = 0
    const watching = yield* HttpClient.get(`http://127.0.0.1:${apiPorts.http}/events`).pipe(
      Effect.flatMap(({ stream }) => Stream.runForEach(stream, () => Effect.sync(() => (seen += 1)))),
      Effect.provide(NodeHttpClient.layerUndici),
      Effect.exit,
      Effect.fork
    )
    yield* until("the stream is open", Effect.sync(() => seen > 0))
    const apiEnd = yield* terminated(api)
    assert.deepStrictEqual([apiEnd.code, apiEnd.signal], [0, null])
    assert.isAtMost(apiEnd.millis, 5_000, "milliseconds until the API had ended")
    yield* watching
  }
)
