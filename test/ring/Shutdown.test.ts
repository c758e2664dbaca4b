import { assert } from "@effect/vitest"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Duration, Effect, Stream } from "effect"
import process from "node:process"
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
import { folderWithCluster } from "../support/PostgresFolder.ts"
import { type ServiceProcess, start, until } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"

/** Asks the process to end; answers how it did, and after how many milliseconds. */
const terminated = (service: ServiceProcess) =>
  Effect.timed(Effect.zipRight(service.signal("SIGTERM"), service.ended)).pipe(
    Effect.map(([duration, ended]) => ({ ...ended, millis: Duration.toMillis(duration) }))
  )

processTest(
  "A worker that is told to stop finishes its current steps, hands its tasks over and exits cleanly",
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
    const [, stoppingWorker] = yield* Effect.all([
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
    const held = yield* query<{ id: string; at: Date }>(
      deployment.url,
      `select task_id as id, clock_timestamp() as at from actors
where runner = $1 and status = 'running' and wake_at is not null`,
      [stoppingPorts.address]
    )
    assert.isAbove(held.length, 5, "it has many tasks at work")
    const end = yield* terminated(stoppingWorker)
    yield* allEnded(deployment.url, "60 seconds")

    assert.deepStrictEqual([end.code, end.signal], [0, null])
    assert.isAtLeast(end.millis, 6_500, "milliseconds that it waited for its steps")
    assert.isAtMost(end.millis, 10_000, "milliseconds until it had ended")
    const journal = yield* steps(deployment.url)
    const delays = held.flatMap(({ at, id }) =>
      journal.filter((row) =>
        row.task_id === id && row.body.kind === "woken" && row.body.runner === remainingPorts.address
      )
        .map((row) => row.at.getTime() - at.getTime())
    )
    assert.isAbove(delays.length, 0, "tasks were handed over")
    assert.isAtMost(Math.max(...delays), 11_000, "milliseconds until the last of them moved on")
    const { uncertain } = yield* audit({
      ...deployment,
      accepted,
      labels: { [stoppingPorts.address]: stoppingModel.label, [remainingPorts.address]: remainingModel.label }
    })
    assert.strictEqual(uncertain, 0, "a current call is waited for")
  }
)

processTest("An API that is told to stop closes its event streams and exits cleanly within five seconds", function*() {
  const deployment = yield* makeDeployment()
  const apiPorts = yield* makePorts
  const api = yield* start("api", { ...deployment.environment, ...apiPorts.environment })
  const client = taskClient(apiPorts.http)
  const id = yield* client.submit("watched", { message: "nobody works here" })
  let seen = 0
  const watching = yield* client.events(id).pipe(
    Stream.runForEach(() => Effect.sync(() => (seen += 1))),
    Effect.exit,
    Effect.fork
  )
  yield* until("the stream is open", Effect.sync(() => seen > 0))
  const end = yield* terminated(api)
  assert.deepStrictEqual([end.code, end.signal], [0, null])
  assert.isAtMost(end.millis, 5_000, "milliseconds until it had ended")
  yield* watching
})

processTest("A process whose database is frozen ends in time all the same", function*() {
  const folder = yield* folderWithCluster
  const deployment = yield* makeDeployment(yield* EmbeddedPostgres.start({ dataDir: folder, durable: false }))
  const ports = yield* makePorts
  const model = yield* makeLineModel({ label: "one", latency: () => 200 })
  const service = yield* start("all", { ...deployment.environment, ...ports.environment, ...model.environment("chat") })
  yield* submitAll(taskClient(ports.http), lineTasks("frozen", 20, 8))
  yield* until("the tasks are under way", Effect.map(stepCount(deployment.url), (count) => count >= 60))
  const sessions = yield* query<{ pid: number }>(
    deployment.url,
    "select pid from pg_stat_activity where application_name like 'troupe%' and application_name <> 'troupe-owner'"
  )
  yield* Effect.acquireRelease(signalAll(sessions, "SIGSTOP"), () => signalAll(sessions, "SIGCONT"))
  const end = yield* terminated(service)
  assert.deepStrictEqual([end.code, end.signal], [0, null])
  assert.isAtMost(end.millis, 15_000, "milliseconds until it had ended")
})

const signalAll = (sessions: ReadonlyArray<{ readonly pid: number }>, signal: "SIGCONT" | "SIGSTOP") =>
  Effect.forEach(sessions, ({ pid }) => Effect.ignore(Effect.try(() => process.kill(pid, signal))), { discard: true })
