import { Effect, Schedule, type Scope } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Bench, type Environment, freshEnvironment } from "./Bench.ts"
import { freePort, startService, startSubject } from "./Child.ts"
import { makeHttpClients } from "./HttpClients.ts"
import { print } from "./Line.ts"
import { cpuOf, residentMegabytes } from "./Machine.ts"
import { ask, connect, temporaryFolder, uncounted } from "./Postgres.ts"
import type { RunOrder, RunResult } from "./Protocol.ts"
import { measure, untilRow } from "./Window.ts"
import { dataFile, messageOf, toolResult } from "./Work.ts"

const concurrency = 64

/** The file that the scripted model asks for, in the default user's folder. */
export const writeDataFile = (folder: string) =>
  Effect.promise(async () => {
    const home = join(folder, "files", "default")
    await mkdir(home, { recursive: true })
    await writeFile(join(home, dataFile), toolResult("all"))
  })

interface Load {
  readonly variant: string
  readonly model: string
  readonly start: (environment: Environment) => Effect.Effect<{ readonly pid: number }, never, Scope.Scope>
}

/** The service's layers with the peers' tool, and the built service, whose tool reads a file of the user. */
const loads: ReadonlyArray<Load> = [
  ...["fake-r3-l0", "fake-r3-l20"].map((model) => ({
    variant: "POST /chat to the service's layers, get_data",
    model,
    start: (environment: Environment) => startSubject({ role: "all", environment })
  })),
  {
    variant: "POST /chat to the built service, read_file",
    model: "read-r3-l0",
    start: (environment) => Effect.tap(startService("all", environment), untilShards(environment["DATABASE_URL"] ?? ""))
  }
]

/** HTTP, use-cases and actors in one process, and the clients in another. */
export const chat = (bench: Bench) => Effect.forEach(loads, (load) => chatLoad(bench, load), { discard: true })

const chatLoad = (bench: Bench, { model, start, variant }: Load) =>
  Effect.gen(function*() {
    const { options: { quick, windows } } = bench
    const folder = yield* temporaryFolder
    yield* writeDataFile(folder)
    const { database, environment } = yield* freshEnvironment(bench, model, folder)
    const port = yield* freePort
    const ports = { PORT: String(port), RUNNER_PORT: String(yield* freePort) }
    const service = yield* start({ ...environment, ...ports })
    const ended = yield* watchEnds(environment["DATABASE_URL"] ?? "")
    const clients = yield* makeHttpClients(port)
    const run = (order: RunOrder) =>
      Effect.promise(async () => {
        await clients.metrics()
        const result = await closedLoop(service.pid, order, clients.submit, ended)
        return { ...result, longestStopMillis: longestStopIn(await clients.metrics()) }
      })
    const measured = yield* measure(bench, { run }, {
      database,
      concurrency,
      windows,
      warmUp: quick ? 100 : 1500,
      tasks: quick ? 200 : 2000
    })
    print("chat", { rounds: 3, model, variant, ...measured })
  }).pipe(Effect.scoped)

/** The longest stop of the service's event loop since this was asked last, in milliseconds. */
const longestStopIn = (metrics: string): number | null => {
  const seconds = /^troupe_process_event_loop_delay_seconds\{[^}]*of="max"[^}]*\} (\S+)/m.exec(metrics)?.[1]
  return seconds === undefined ? null : Number(seconds) * 1e3
}

/** Waits until the runners own all shards; until then new tasks wait. */
export const untilShards = (url: string, runners = 1) =>
  untilRow(
    url,
    `select count(*) >= 290 and count(distinct address) >= $1 as yes from cluster_locks
join cluster_runners using (address) where last_heartbeat > localtimestamp - interval '8 seconds'`,
    [runners],
    "60 seconds"
  )

/** Polls the rows of running tasks for their end. This puts no load on the service, and is not counted. */
export const watchEnds = (url: string) =>
  Effect.gen(function*() {
    const waiting = new Map<string, () => void>()
    const client = yield* connect(url)
    const poll = Effect.gen(function*() {
      if (waiting.size === 0) return
      const ended = yield* ask<{ task_id: string }>(client, ends, [[...waiting.keys()]])
      for (const { task_id } of ended) {
        waiting.get(task_id)?.()
        waiting.delete(task_id)
      }
    })
    yield* Effect.forkScoped(Effect.repeat(poll, Schedule.spaced("10 millis")))
    return (id: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const timeout = setTimeout(() => reject(new Error(`task ${id} has not ended within a minute`)), 60_000)
        waiting.set(id, () => {
          clearTimeout(timeout)
          resolve()
        })
      })
  })

const ends = `select ${uncounted} task_id::text from actors
where task_id = any($1::uuid[]) and status in ('completed', 'failed')`

export const closedLoop = async (
  pid: number,
  { concurrency, from, tasks }: RunOrder,
  submit: (message: string) => Promise<string>,
  ended: (id: string) => Promise<void>
): Promise<RunResult> => {
  const latencies: Array<number> = []
  let errors = 0
  let firstError: string | null = null
  let next = 0
  let peak = residentMegabytes(pid)
  const timer = setInterval(() => (peak = Math.max(peak ?? 0, residentMegabytes(pid) ?? 0)), 100)
  const client = async () => {
    while (next < tasks) {
      const before = performance.now()
      try {
        await ended(await submit(messageOf(from + next++)))
      } catch (cause) {
        errors += 1
        firstError ??= String(cause)
      }
      latencies.push(performance.now() - before)
    }
  }
  const cpu = cpuOf(pid)
  const start = performance.now()
  await Promise.all(Array.from({ length: concurrency }, client))
  const seconds = (performance.now() - start) / 1e3
  const after = cpuOf(pid)
  clearInterval(timer)
  const cpuMillis = after === null || cpu === null ? null : after - cpu
  return {
    seconds,
    latencies,
    errors,
    firstError,
    cpuMillis,
    peakMegabytes: peak === 0 ? null : peak,
    longestStopMillis: null
  }
}
