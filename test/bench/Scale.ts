import { Effect, type Scope } from "effect"
import type { Client } from "pg"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { type Child, freePort, startService, startSubject } from "./Child.ts"
import { ascending, median, print, quantile, round } from "./Line.ts"
import { cpuOf as cpuOfProcess, cpuOfFamily } from "./Machine.ts"
import type { ScalePart } from "./Options.ts"
import { ask, connect, onDatabase, temporaryFolder } from "./Postgres.ts"
import { buffersOf, isOver, maxReadBuffers, reads } from "./ScaleReads.ts"
import { checkShards, fill, type Kind, kinds } from "./ScaleRows.ts"
import { churn, moreWorkers, oldSnapshot } from "./ScaleWorkers.ts"
import { startRunnable } from "./Throughput.ts"
import { measure, type Measured, untilRow } from "./Window.ts"

/** How the service grows: with rows, with workers, and beside an old snapshot. */
export const scale = (bench: Bench) =>
  Effect.forEach(bench.options.parts, (part) => parts[part](bench), { discard: true })

const concurrency = 64

const model = "fake-r3-l0"

const windowOf = ({ options: { quick } }: Bench, database: string) => ({
  database,
  concurrency,
  windows: 1,
  warmUp: quick ? 100 : 300,
  tasks: quick ? 200 : 1500
})

interface Side extends Effect.Effect.Success<ReturnType<typeof startRunnable>> {
  readonly database: string
  readonly client: Client
}

/** A process on a database that has these rows already when it starts. */
const sideWith = (
  bench: Bench,
  kind: Kind | null,
  body = ""
): Effect.Effect<Side, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const { database, environment } = yield* freshEnvironment(bench, model, folder)
    const client = yield* connect(environment["DATABASE_URL"] ?? "")
    if (kind !== null) {
      const ports = { PORT: String(yield* freePort), RUNNER_PORT: String(yield* freePort) }
      yield* Effect.scoped(startSubject({ role: "api", environment: { ...environment, ...ports } }))
      yield* fill(client, kind, bench.options.size, body)
      if (kind === "queued") yield* printReads(bench, kind, database, environment)
    }
    const subject = yield* startRunnable({ role: "worker", environment })
    // The job of the history reads what ended in the last month, once.
    if (kind === "finished") {
      yield* untilRow(
        environment["DATABASE_URL"] ?? "",
        "select count(*) > 740 as yes from task_hours",
        [],
        "600 seconds"
      )
    }
    if (kind !== null && kind !== "queued") yield* printReads(bench, kind, database, environment)
    return { ...subject, database, client }
  })

const printReads = (bench: Bench, kind: Kind, database: string, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const port = yield* freePort
    const admin = yield* connect(onDatabase(bench.postgres.url, "postgres"))
    const client = yield* connect(environment["DATABASE_URL"] ?? "")
    const [{ id } = { id: "" }] = yield* ask<{ id: string }>(client, "select max(id::text) as id from tasks")
    yield* startService("api", { ...environment, PORT: String(port), RUNNER_PORT: String(yield* freePort) })
    const found = yield* reads({ admin, database, port, task: id })
    for (const read of found) {
      print("scale", { mode: "read", kind, size: bench.options.size, ...read, is_over: isOver(read) })
    }
    print("scale", {
      mode: "reads",
      kind,
      size: bench.options.size,
      reads: found.length,
      most_buffers: Math.max(...found.map(({ buffers }) => buffers)),
      longest_ms: Math.max(...found.map(({ millis }) => millis)),
      limit_buffers: maxReadBuffers,
      over: found.filter(isOver).map(({ path }) => path).join(" ")
    })
  }).pipe(Effect.scoped)

/** Statements of the hot path, by how they begin or what they contain. */
const statements = {
  claim: "%with recursive busy%",
  take: "%with queued as (%",
  insert: "%insert into tasks%",
  append: "with input as (%insert into steps%"
}
type Buffers = Readonly<Record<keyof typeof statements, number>>

const hotBuffers = (admin: Client, database: string) =>
  Effect.map(
    Effect.all([
      buffersOf(admin, database, statements.claim),
      buffersOf(admin, database, statements.take),
      buffersOf(admin, database, statements.insert),
      buffersOf(admin, database, statements.append)
    ]),
    ([claim, take, insert, append]): Buffers => ({
      claim: claim.buffers,
      take: take.buffers,
      insert: insert.buffers,
      append: append.buffers
    })
  )

const withRows = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { size, windows } } = bench
    const admin = yield* connect(onDatabase(bench.postgres.url, "postgres"))
    const empty = yield* sideWith(bench, null)
    yield* oneWindow(bench, empty)
    yield* checkShards(empty.client)
    const [last] = yield* ask<{ body: string }>(
      empty.client,
      "select s.body from steps s join actors a on a.task_id = s.task_id and a.seq = s.seq where a.status = 'completed' limit 1"
    )
    for (const kind of kinds) {
      yield* Effect.scoped(Effect.gen(function*() {
        const side = yield* sideWith(bench, kind, last?.body)
        const ratios: Array<number> = []
        const cpuRatios: Array<number> = []
        const window = kind === "queued" ? queuedWindow(bench, side) : oneWindow(bench, side)
        // The process and its connections are as warm as those of the other one.
        yield* window
        for (let turn = 0; turn < windows; turn++) {
          const before = yield* oneWindow(bench, empty)
          const hot = yield* hotBuffers(admin, side.database)
          const hotEmpty = yield* hotBuffers(admin, empty.database)
          const beside = yield* window
          const after = yield* hotBuffers(admin, side.database)
          const again = yield* oneWindow(bench, empty)
          const afterEmpty = yield* hotBuffers(admin, empty.database)
          const without = (before.tasks_per_s + again.tasks_per_s) / 2
          ratios.push(round(beside.tasks_per_s / without))
          cpuRatios.push(round(beside.cpu / ((before.cpu + again.cpu) / 2)))
          print("scale", {
            mode: "rows",
            kind,
            size,
            tasks_per_s: beside.tasks_per_s,
            tasks_per_s_empty: round(without),
            cpu_ms_per_task: round(beside.cpu),
            cpu_ms_per_task_empty: round(again.cpu),
            pg_cpu_ms_per_task: round(beside.pgCpu),
            pg_cpu_ms_per_task_empty: round(again.pgCpu),
            ...perTask("", hot, after, beside.tasks),
            ...perTask("_empty", hotEmpty, afterEmpty, again.tasks)
          })
        }
        print("scale", {
          mode: "ratio",
          kind,
          size,
          floor: floors[kind],
          ratio: median(ratios),
          cpu_ratio: median(cpuRatios),
          ratios,
          ...yield* newUsers(side)
        })
        yield* setPaused(side, false)
      }))
    }
  }).pipe(Effect.scoped)

const floors: Readonly<Record<Kind, number>> = { finished: 0.9, waiting: 0.95, queued: 0.8 }

const perTask = (suffix: string, before: Buffers, after: Buffers, tasks: number) =>
  Object.fromEntries(
    (["claim", "take", "insert", "append"] as const).map((name) => [
      `${name}_buffers_per_task${suffix}`,
      round((after[name] - before[name]) / tasks)
    ])
  )

/** CPU of both sides per task. On a shared machine it says more than the throughput. */
const cpuOf = (measured: Measured): number =>
  Number(measured["node_cpu_ms_per_task"]) + Number(measured["pg_cpu_ms_per_task"])

const oneWindow = (bench: Bench, side: Side) => {
  const options = windowOf(bench, side.database)
  return Effect.map(measure(bench, side, options), (measured) => ({
    tasks_per_s: measured.tasks_per_s,
    tasks: options.tasks + options.warmUp,
    cpu: cpuOf(measured),
    pgCpu: Number(measured["pg_cpu_ms_per_task"])
  }))
}

const ended = "select count(*)::integer as count from actors where completed_at is not null"

/** How fast the process works through what is queued. It stands still outside of its windows. */
const queuedWindow = (bench: Bench, side: Side) =>
  Effect.gen(function*() {
    const seconds = bench.options.quick ? 4 : 15
    const cpuOfSide = () => (cpuOfProcess(side.pid) ?? 0) + (cpuOfFamily(bench.postgres.pid) ?? 0)
    yield* setPaused(side, false)
    const [before] = yield* Effect.delay(ask<{ count: number }>(side.client, ended), "3 seconds")
    const cpu = cpuOfSide()
    const server = cpuOfFamily(bench.postgres.pid) ?? 0
    const [after] = yield* Effect.delay(ask<{ count: number }>(side.client, ended), `${seconds} seconds`)
    const then = cpuOfSide()
    const serverThen = cpuOfFamily(bench.postgres.pid) ?? 0
    yield* setPaused(side, true)
    const tasks = (after?.count ?? 0) - (before?.count ?? 0)
    return {
      tasks_per_s: round(tasks / seconds),
      tasks,
      cpu: (then - cpu) / tasks,
      pgCpu: (serverThen - server) / tasks
    }
  })

const setPaused = ({ pid }: Child, isPaused: boolean) =>
  Effect.sync(() => process.kill(pid, isPaused ? "SIGSTOP" : "SIGCONT"))

/** From the request of a user who has nothing else to the start of the task, whatever is queued before it. */
const newUsers = (side: Side) =>
  Effect.gen(function*() {
    yield* setPaused(side, false)
    for (let number = 0; number < 20; number++) {
      yield* side.ask("run", { from: number, tasks: 1, concurrency: 1, until: "completed", owner: `new-${number}` })
    }
    const rows = yield* ask<{ millis: number }>(
      side.client,
      `select extract(epoch from a.started_at - t.created_at)::float8 * 1000 as millis
from tasks t join actors a on a.task_id = t.id where t.creator like 'new-%'`
    )
    const starts = ascending(rows.map(({ millis }) => millis))
    return { new_user_start_p50_ms: round(quantile(starts, 0.5)), new_user_start_max_ms: round(starts.at(-1) ?? 0) }
  })

const parts: Readonly<Record<ScalePart, (bench: Bench) => Effect.Effect<void>>> = {
  rows: withRows,
  workers: moreWorkers,
  churn,
  snapshot: oldSnapshot
}
