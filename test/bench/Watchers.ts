import { Effect, type Scope } from "effect"
import { Agent, get, type IncomingMessage } from "node:http"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { closedLoop, untilShards, watchEnds, writeDataFile } from "./Chat.ts"
import { freePort, startService } from "./Child.ts"
import { makeHttpClients } from "./HttpClients.ts"
import { print, round } from "./Line.ts"
import { residentMegabytes } from "./Machine.ts"
import { ask, connect, temporaryFolder } from "./Postgres.ts"
import type { RunOrder } from "./Protocol.ts"
import { insertions, waitingId } from "./Waiting.ts"
import { measure, type Measured } from "./Window.ts"

const counts = [50, 500, 2000]

/** Readers of the events of all tasks, each of which gets every event. */
const readers = 200

/** Cost of event streams for the running tasks, all in one process: idle ones of waiting tasks, and of all tasks. */
export const watchers = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { quick, windows } } = bench
    const folder = yield* temporaryFolder
    yield* writeDataFile(folder)
    const { database, environment } = yield* freshEnvironment(bench, "read-r3-l0", folder)
    const url = environment["DATABASE_URL"] ?? ""
    const port = yield* freePort
    const service = yield* startService("all", {
      ...environment,
      PORT: String(port),
      RUNNER_PORT: String(yield* freePort)
    })
    yield* untilShards(url)
    const admin = yield* connect(url)
    const parked = [...insertions("parked", 1), insertQuestions]
    yield* Effect.forEach(parked, (text) => ask(admin, text, [Math.max(...counts)]), { discard: true })
    yield* ask(admin, "vacuum analyze")
    const clients = yield* makeHttpClients(port)
    const ended = yield* watchEnds(url)
    const run = (order: RunOrder) => Effect.promise(() => closedLoop(service.pid, order, clients.submit, ended))
    const throughput = measure(bench, { run }, {
      database,
      concurrency: 64,
      windows,
      warmUp: quick ? 100 : 500,
      tasks: quick ? 300 : 1500
    })
    yield* throughput
    const streams = [
      ...counts.map((count) => ({
        of: "waiting tasks",
        count,
        path: (index: number) => `/task/${taskId(index)}/events`
      })),
      { of: "all tasks", count: readers, path: () => "/events" }
    ]
    for (const { count, of, path } of streams) {
      // One directly after the other, because the load of the machine changes.
      const without = yield* throughput
      const resident = residentMegabytes(service.pid)
      const watched = yield* Effect.zipRight(openStreams(port, count, path), throughput).pipe(
        Effect.scoped,
        Effect.timeoutOption("5 minutes")
      )
      if (watched._tag === "None") return yield* Effect.dieMessage(`No window ended beside ${count} watchers`)
      print("watchers", {
        ...watched.value,
        streams_of: of,
        watchers: count,
        tasks_per_s_without: without.tasks_per_s,
        ratio: round(watched.value.tasks_per_s / without.tasks_per_s),
        cpu_ratio: round(cpuOf(watched.value) / cpuOf(without)),
        sql_per_task_without: without["sql_per_task"],
        rss_mb_without: resident === null ? null : round(resident, 0)
      })
    }
  }).pipe(Effect.scoped)

/** CPU of both sides per task. On a shared machine it says more than the throughput. */
const cpuOf = (measured: Measured): number =>
  Number(measured["node_cpu_ms_per_task"]) + Number(measured["pg_cpu_ms_per_task"])

/** `count` event streams, open until the scope closes. */
const openStreams = (
  port: number,
  count: number,
  path: (index: number) => string
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ keepAlive: false, maxSockets: Infinity })),
      (agent) => Effect.sync(() => agent.destroy())
    )
    yield* Effect.forEach(
      Array.from({ length: count }, (_, index) => index + 1),
      (index) => Effect.promise(() => opened(port, agent, path(index))),
      { concurrency: 50, discard: true }
    )
  })

/** The step with which each task began to wait. */
const insertQuestions = `with asked as (
  insert into steps (task_id, seq, at, body)
  select ${waitingId}, 1, now(), '{"kind":"results","results":[],"asked":{"id":"call","question":"Which?"}}'
  from generate_series(1, $1::integer) n
  returning task_id
)
update actors a set seq = 1 from asked where a.task_id = asked.task_id`

/** The id of a waiting task as `insertions` makes it. */
const taskId = (index: number): string => `00000000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`

/** Resolves with the first event. */
const opened = (port: number, agent: Agent, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = get({ host: "127.0.0.1", port, path, agent }, (response: IncomingMessage) => {
      if (response.statusCode !== 200) return reject(new Error(`GET ${path}: ${response.statusCode}`))
      response.once("data", () => resolve())
      response.resume()
      response.on("error", () => {})
    })
    sent.on("error", reject)
  })
