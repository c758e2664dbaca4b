import { Effect } from "effect"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { print, round } from "./Line.ts"
import { ask, connect, storedBytes, temporaryFolder } from "./Postgres.ts"
import { startRunnable } from "./Throughput.ts"
import { measure, type Measured } from "./Window.ts"

/** Cost of waiting tasks: of each one, and of all of them for the running ones. */
export const paused = (bench: Bench) => Effect.zipRight(asleep(bench), beside(bench))

const idleSeconds = 10

/** Tasks whose model asked them to wait for a day. */
const asleep = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { quick }, postgres } = bench
    const tasks = quick ? 200 : 1000
    const folder = yield* temporaryFolder
    const { database, environment } = yield* freshEnvironment(bench, "wait", folder)
    const subject = yield* startRunnable({ role: "worker", environment })
    const admin = yield* connect(environment["DATABASE_URL"] ?? "")
    const sleep = (from: number, count: number) => subject.run({ from, tasks: count, concurrency: 32, until: "asleep" })
    const quietly = Effect.gen(function*() {
      const before = yield* postgres.counted(database)
      yield* Effect.sleep(`${idleSeconds - 1.3} seconds`)
      const after = yield* postgres.counted(database)
      return (after.statements - before.statements) / idleSeconds
    })

    yield* sleep(0, 500)
    const idle = yield* quietly
    const memory = yield* subject.ask("heap", {})
    const bytes = yield* storedBytes(admin)
    const { errors } = yield* sleep(500, tasks)
    const stored = (yield* storedBytes(admin)) - bytes
    const waiting = yield* quietly
    const then = yield* subject.ask("heap", {})
    print("paused", {
      mode: "paused",
      paused: tasks,
      errors,
      db_bytes_per_paused: round(stored / tasks, 0),
      heap_bytes_per_paused: round((then.heap - memory.heap) / tasks, 0),
      rss_bytes_per_paused: round((then.resident - memory.resident) / tasks, 0),
      sql_per_s: round(waiting),
      sql_per_s_before: round(idle)
    })
  }).pipe(Effect.scoped)

/** Kinds of waiting tasks: `parked` has no wake-up, `asleep` has one tomorrow, `pending` is due. */
const kinds = {
  parked: { wake: "null", status: "waiting_input", shard: "1 + n % 300", call: "'call_' || n" },
  asleep: { wake: "now() + interval '1 day'", status: "running", shard: "1 + n % 300", call: "null" },
  // Due, but in a shard that this worker does not own, as if another worker were overloaded.
  pending: { wake: "now() - interval '1 minute'", status: "pending", shard: "30000", call: "null" }
} as const

const spreads = [
  { kind: "parked", users: 1 },
  { kind: "asleep", users: 1 },
  { kind: "asleep", users: 500 },
  { kind: "pending", users: 1 },
  { kind: "pending", users: 500 }
] as const

/** Throughput at 64 without and with many waiting tasks, in one process on one database. */
const beside = (bench: Bench) =>
  Effect.gen(function*() {
    const { options: { quick, rows, windows } } = bench
    const folder = yield* temporaryFolder
    const { database, environment } = yield* freshEnvironment(bench, "fake-r3-l0", folder)
    const subject = yield* startRunnable({ role: "worker", environment })
    const admin = yield* connect(environment["DATABASE_URL"] ?? "")
    const throughput = measure(bench, subject, {
      database,
      concurrency: 64,
      windows,
      warmUp: quick ? 100 : 500,
      tasks: quick ? 200 : 1500
    })
    yield* throughput
    for (const { kind, users } of spreads) {
      // One directly after the other, because the load of the machine changes.
      const without = yield* throughput
      yield* Effect.forEach(insertions(kind, users), (text) => ask(admin, text, [rows]), { discard: true })
      yield* ask(admin, "vacuum analyze")
      const beside = yield* throughput.pipe(Effect.timeoutOption("3 minutes"))
      const found = beside._tag === "Some" ? beside.value : null
      print("paused", {
        ...found,
        mode: "beside",
        rows,
        variant: `${kind}, of ${users === 1 ? "the same user" : `${users} users`}`,
        tasks_per_s: found?.tasks_per_s ?? 0,
        tasks_per_s_without: without.tasks_per_s,
        ratio: round((found?.tasks_per_s ?? 0) / without.tasks_per_s),
        pg_cpu_ms_per_task_without: without["pg_cpu_ms_per_task"],
        cpu_ratio: found === null ? null : round(cpuOf(found) / cpuOf(without))
      })
      if (found === null) return
      yield* Effect.forEach(removals, (text) => ask(admin, text), { discard: true })
      yield* ask(admin, "vacuum analyze")
    }
  }).pipe(Effect.scoped)

/** CPU of both sides per task. On a shared machine it says more than the throughput. */
const cpuOf = (measured: Measured): number =>
  Number(measured["node_cpu_ms_per_task"]) + Number(measured["pg_cpu_ms_per_task"])

export const waitingId = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"

export const insertions = (kind: keyof typeof kinds, users: number): ReadonlyArray<string> => {
  const { call, shard, status, wake } = kinds[kind]
  const creator = users === 1 ? "'default'" : `'user-' || n % ${users}`
  return [
    `insert into tasks (id, created_at, creator, description, task_type)
select ${waitingId}, now(), ${creator}, 'waits', 'task' from generate_series(1, $1::integer) n`,
    `insert into actors (task_id, shard, creator, updated_at, status, wake_at, last_tool_call_id)
select ${waitingId}, ${shard}, ${creator}, now(), '${status}', ${wake}, ${call} from generate_series(1, $1::integer) n`
  ]
}

const ours = "'00000000-0000-7000-8000-ffffffffffff'"

const removals = [`delete from tasks where id <= ${ours}`, `delete from actors where task_id <= ${ours}`]
