import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Effect, Fiber, Layer } from "effect"
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

const jobs = [
  "bulk_operations",
  "housekeeping",
  "inbound_retention",
  "outbox_cleanup",
  "schedule_cleanup",
  "scheduler",
  "snapshot_cleanup"
].map((name) => `${name}: cluster`)

processTest(
  "The tasks of a killed worker move to the other within ten seconds, its jobs too, and the API says how it goes",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const killedPorts = yield* makePorts
    const successorPorts = yield* makePorts
    // However long the tasks take to be submitted, the worker to be killed works on its own when it is killed.
    const killedModel = yield* makeLineModel({ label: "killed", latency: (_, turn) => turn < 3 ? 300 : 600_000 })
    const successorModel = yield* makeLineModel({ label: "successor", latency: () => 300 })
    const environment = { ...deployment.environment, SKILLS_REFRESH_INTERVAL: 1 }
    const [, killedWorker] = yield* Effect.all([
      start("api", { ...environment, ...apiPorts.environment }),
      start("worker", {
        ...environment,
        ...killedPorts.environment,
        ...killedModel.environment("responses")
      }),
      start("worker", {
        ...environment,
        ...successorPorts.environment,
        ...successorModel.environment("chat")
      })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, [killedPorts.address, successorPorts.address])
    const http = yield* Layer.build(NodeHttpClient.layerUndici)
    const client = yield* Effect.provide(TroupeClient.make({ baseUrl: `http://127.0.0.1:${apiPorts.http}` }), http)
    const health = Effect.orDie(client.tasks.workerHealth())
    const haveRun = (processes: number) =>
      Effect.map(health, ({ scheduled_jobs }) => {
        const run = scheduled_jobs.filter(({ last_run_at }) => last_run_at !== null)
        const refreshes = Array.from({ length: processes }, () => "skills_refresh: process")
        return run.map(({ name, scope }) => `${name}: ${scope}`).join() === [...jobs, ...refreshes].toSorted().join()
      })
    yield* until("every job has run", haveRun(3))
    yield* until("all heartbeats are in time", Effect.map(health, ({ status }) => status === "healthy"))

    const accepted = yield* submitAll(taskClient(apiPorts.http), lineTasks("moved", 32, 4))
    yield* until("the tasks are well under way", Effect.map(stepCount(deployment.url), (count) => count >= 116))
    yield* killedWorker.signal("SIGKILL")
    yield* killedWorker.ended
    const missed = yield* Effect.fork(
      until("its heartbeat is missed", Effect.map(health, ({ status }) => status === "degraded"))
    )
    const [kill] = yield* query<{ at: Date }>(deployment.url, "select clock_timestamp() as at")
    const at = kill?.at.getTime() ?? 0
    const orphans = yield* query<{ id: string }>(
      deployment.url,
      "select task_id as id from actors where runner = $1 and status = 'running' and wake_at is not null",
      [killedPorts.address]
    )
    assert.isAbove(orphans.length, 5, "the kill hit many tasks at work")
    yield* allEnded(deployment.url, "60 seconds")

    yield* Fiber.join(missed)

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
    yield* until("its jobs are gone", haveRun(2))
    const holders = query<{ process: string }>(
      deployment.url,
      "select process from scheduled_jobs where scope = 'cluster'"
    )
    yield* until(
      "the other worker runs the jobs of the cluster",
      Effect.map(
        holders,
        (rows) => rows.length === jobs.length && rows.every(({ process }) => process === successorPorts.address)
      ),
      "60 seconds"
    )
  }
)
