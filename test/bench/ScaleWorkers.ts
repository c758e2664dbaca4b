import { Effect } from "effect"
import { type Bench, type Environment, freshEnvironment } from "./Bench.ts"
import { closedLoop, untilShards, watchEnds, writeDataFile } from "./Chat.ts"
import { freePort, startService } from "./Child.ts"
import { makeHttpClients } from "./HttpClients.ts"
import { print, round } from "./Line.ts"
import { cpuOf, cpuOfFamily } from "./Machine.ts"
import { ask, connect, temporaryFolder } from "./Postgres.ts"
import { startRunnable } from "./Throughput.ts"
import { measure, untilRow } from "./Window.ts"
import { messageOf } from "./Work.ts"

/** An api and workers of the built service on a fresh database. */
const deployment = (bench: Bench, model: string, settings: Environment = {}) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    yield* writeDataFile(folder)
    const fresh = yield* freshEnvironment(bench, model, folder)
    const environment = { ...fresh.environment, ...settings }
    const port = yield* freePort
    const url = environment["DATABASE_URL"] ?? ""
    yield* startService("api", { ...environment, PORT: String(port), RUNNER_PORT: String(yield* freePort) })
    const worker = Effect.flatMap(
      freePort,
      (runner) => startService("worker", { ...environment, DATABASE_MAX_CONNECTIONS: "5", RUNNER_PORT: String(runner) })
    )
    return { url, worker, clients: yield* makeHttpClients(port) }
  })

const counts = [1, 2, 4, 8]

/** Throughput and CPU a task with more and more workers. They share the processors with everything else. */
export const moreWorkers = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { quick }, postgres } = bench
    const { clients, url, worker } = yield* deployment(bench, "read-r3-l0")
    const ended = yield* watchEnds(url)
    const workers: Array<{ readonly pid: number }> = []
    const tasks = quick ? 200 : 1500
    const cpuOfWorkers = () => workers.reduce((sum, { pid }) => sum + (cpuOf(pid) ?? 0), 0)
    let first: number | null = null
    for (const count of counts) {
      while (workers.length < count) workers.push(yield* worker)
      yield* untilShards(url, count)
      yield* Effect.sleep("3 seconds")
      const run = (from: number, number: number) =>
        Effect.promise(() =>
          closedLoop(0, { concurrency: 64, from, tasks: number, until: "completed" }, clients.submit, ended)
        )
      yield* run(0, (quick ? 100 : 400) * count)
      const cpu = cpuOfWorkers()
      const server = cpuOfFamily(postgres.pid) ?? 0
      const { errors, seconds } = yield* run(0, tasks)
      const speed = tasks / seconds
      first ??= speed
      print("scale", {
        mode: "workers",
        workers: count,
        tasks_per_s: round(speed),
        ratio: round(speed / first),
        errors,
        node_cpu_ms_per_task: round((cpuOfWorkers() - cpu) / tasks),
        pg_cpu_ms_per_task: round(((cpuOfFamily(postgres.pid) ?? 0) - server) / tasks)
      })
    }
  }).pipe(Effect.scoped)

/** Workers that join and leave under long calls of the model: how many calls were made again. */
export const churn = (bench: Bench) =>
  Effect.gen(function*() {
    const { model, options: { quick } } = bench
    const seconds = quick ? 6 : 60
    const tasks = 40
    const { clients, url, worker } = yield* deployment(bench, `read-r1-l${seconds * 1000}-m1`, {
      SHUTDOWN_GRACE_SECONDS: "90"
    })
    const first = yield* worker
    yield* untilShards(url)
    yield* model.ask("arrivals", {})
    yield* Effect.forEach(
      Array.from({ length: tasks }, (_, task) => task),
      (task) => Effect.promise(() => clients.submit(messageOf(task))),
      { concurrency: 16 }
    )
    yield* Effect.sleep("2 seconds")
    yield* worker
    yield* Effect.sleep(`${seconds} seconds`)
    process.kill(first.pid, "SIGTERM")
    yield* untilRow(
      url,
      "select count(*) = 0 as yes from actors where status not in ('completed', 'failed')",
      [],
      "300 seconds"
    )
    const arrivals = yield* model.ask("arrivals", {})
    const client = yield* connect(url)
    const [found] = yield* ask<{ completed: number }>(
      client,
      "select count(*)::integer as completed from actors where status = 'completed'"
    )
    print("scale", {
      mode: "churn",
      variant: "one worker joins, the first one leaves by SIGTERM",
      call_s: seconds,
      tasks,
      calls: 2 * tasks,
      calls_again: arrivals.length - 2 * tasks,
      completed: found?.completed ?? 0
    })
  }).pipe(Effect.scoped)

const sizes = "select (pg_total_relation_size('actors') / 1048576.0)::float8 as mb"

/** Throughput beside a transaction that has an old snapshot, by which no dead row is removed; and what the table grows to. */
export const oldSnapshot = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { minutes, quick, windows } } = bench
    const folder = yield* temporaryFolder
    const { database, environment } = yield* freshEnvironment(bench, "fake-r3-l0", folder)
    const url = environment["DATABASE_URL"] ?? ""
    const subject = yield* startRunnable({ role: "worker", environment })
    const admin = yield* connect(url)
    const options = { database, concurrency: 64, warmUp: quick ? 100 : 500, tasks: quick ? 200 : 1500 }
    const without = yield* measure(bench, subject, { ...options, windows })
    const [before] = yield* ask<{ mb: number }>(admin, sizes)
    const old = yield* connect(url)
    yield* ask(old, "begin isolation level repeatable read")
    yield* ask(old, "select count(*) from actors")
    const load = measure(bench, subject, { ...options, windows: 1 })
    yield* load.pipe(Effect.repeat({ while: () => true }), Effect.timeoutOption(`${minutes * 60} seconds`))
    const beside = yield* measure(bench, subject, { ...options, windows })
    const [after] = yield* ask<{ mb: number }>(admin, sizes)
    const [rows] = yield* ask<{ count: number }>(admin, "select count(*)::integer as count from actors")
    yield* ask(old, "rollback")
    yield* ask(admin, "vacuum actors")
    const again = yield* measure(bench, subject, { ...options, windows })
    const alone = (without.tasks_per_s + again.tasks_per_s) / 2
    print("scale", {
      mode: "old_snapshot",
      minutes,
      tasks_per_s: beside.tasks_per_s,
      tasks_per_s_without: round(alone),
      ratio: round(beside.tasks_per_s / alone),
      floor: 0.9,
      pg_cpu_ms_per_task: beside["pg_cpu_ms_per_task"],
      pg_cpu_ms_per_task_without: without["pg_cpu_ms_per_task"],
      actors_mb: round(after?.mb ?? 0),
      actors_mb_before: round(before?.mb ?? 0),
      actors_bytes_per_task: round((after?.mb ?? 0) * 1048576 / (rows?.count ?? 1), 0)
    })
  }).pipe(Effect.scoped)
