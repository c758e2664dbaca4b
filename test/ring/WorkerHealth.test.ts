import { NodeHttpClient } from "@effect/platform-node"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Effect, Layer } from "effect"
import { query } from "../support/Database.ts"
import { haveShards, makeDeployment, makePorts, processTest, shortLeases } from "../support/Deployment.ts"
import { start, until } from "../support/Processes.ts"

processTest(
  "An API process shows the jobs of all processes: each refreshes its skills, all others run once, also after a kill",
  function*() {
    const deployment = yield* makeDeployment()
    const apiPorts = yield* makePorts
    const killedPorts = yield* makePorts
    const successorPorts = yield* makePorts
    const environment = {
      ...deployment.environment,
      ...shortLeases,
      MEMORY_AUTO_SAVE: "true",
      SKILLS_REFRESH_INTERVAL: 1
    }
    const http = yield* Layer.build(NodeHttpClient.layerUndici)
    const client = yield* Effect.provide(TroupeClient.make({ baseUrl: `http://127.0.0.1:${apiPorts.http}` }), http)
    const health = Effect.orDie(client.tasks.workerHealth())
    const [, worker] = yield* Effect.all([
      start("api", { ...environment, ...apiPorts.environment }),
      start("worker", { ...environment, ...killedPorts.environment }),
      start("worker", { ...environment, ...successorPorts.environment })
    ], { concurrency: "unbounded" })
    yield* haveShards(deployment.url, [killedPorts.address, successorPorts.address])

    const jobs = Effect.map(
      health,
      ({ scheduled_jobs }) =>
        scheduled_jobs.filter(({ last_run_at }) => last_run_at !== null).map(({ name, scope }) => `${name}: ${scope}`)
    )
    const expected = (processes: number) =>
      [
        "bulk_operations: cluster",
        "housekeeping: cluster",
        "inbound_retention: cluster",
        "outbox_cleanup: cluster",
        "schedule_cleanup: cluster",
        "scheduler: cluster",
        ...Array.from({ length: processes }, () => "skills_refresh: process"),
        "snapshot_cleanup: cluster",
        "task_memories: cluster"
      ].join()
    yield* until("every job has run", Effect.map(jobs, (all) => all.join() === expected(3)))
    yield* until("all heartbeats are in time", Effect.map(health, ({ status }) => status === "healthy"))

    yield* worker.signal("SIGKILL")
    yield* until("its heartbeat is missed", Effect.map(health, ({ status }) => status === "degraded"))
    yield* until("its jobs are gone", Effect.map(jobs, (all) => all.join() === expected(2)))
    const holders = query<{ process: string }>(
      deployment.url,
      "select process from scheduled_jobs where scope = 'cluster'"
    )
    yield* until(
      "the other worker runs the jobs of the cluster",
      Effect.map(
        holders,
        (rows) => rows.length === 8 && rows.every(({ process }) => process === successorPorts.address)
      ),
      "40 seconds"
    )
  }
)
