import { assert } from "@effect/vitest"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Duration, Effect, Stream } from "effect"
import process from "node:process"
import { audit, steps } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import { folderWithCluster } from "../support/PostgresFolder.ts"
import { type ServiceProcess, start, until } from "../support/Processes.ts"
import {
  allEnded,
  haveShards,
  makeRing,
  makeSeat,
  processTest,
  scribings,
  stepCount,
  submitAll
} from "../support/Ring.ts"
import { makeScribe } from "../support/Scribe.ts"
import { taskClient } from "../support/TaskClient.ts"

/** Asks the process to end; answers how it did, and after how many milliseconds. */
const terminated = (service: ServiceProcess) =>
  Effect.timed(Effect.zipRight(service.signal("SIGTERM"), service.ended)).pipe(
    Effect.map(([duration, ended]) => ({ ...ended, millis: Duration.toMillis(duration) }))
  )

processTest(
  "A worker that is told to end finishes the steps in hand, hands its tasks over and exits cleanly",
  function*() {
    const ring = yield* makeRing()
    const door = yield* makeSeat
    const leaverSeat = yield* makeSeat
    const stayerSeat = yield* makeSeat
    // Some calls are waited for, and some last longer than a shutdown waits for a step.
    const latency = ({ name }: { readonly name: string }, turn: number) =>
      name.endsWith("3") ? 30_000 : name.endsWith("7") || turn > 4 ? 4_000 : 200
    const leaverScribe = yield* makeScribe({ sign: "leaver", latency })
    const stayerScribe = yield* makeScribe({ sign: "stayer", latency: () => 100 })
    const [, leaver] = yield* Effect.all([
      start("api", { ...ring.environment, ...door.environment }),
      start("worker", { ...ring.environment, ...leaverSeat.environment, ...leaverScribe.environment("responses") }),
      start("worker", { ...ring.environment, ...stayerSeat.environment, ...stayerScribe.environment("responses") })
    ], { concurrency: "unbounded" })
    yield* haveShards(ring.url, [leaverSeat.address, stayerSeat.address])

    const accepted = yield* submitAll(taskClient(door.port), scribings("handed", 100, 6))
    yield* until("the tasks are well under way", Effect.map(stepCount(ring.url), (count) => count >= 500))
    const held = yield* query<{ id: string; at: Date }>(
      ring.url,
      `select task_id as id, clock_timestamp() as at from actors
where runner = $1 and status = 'running' and wake_at is not null`,
      [leaverSeat.address]
    )
    assert.isAbove(held.length, 10, "it has many tasks at work")
    const end = yield* terminated(leaver)
    yield* allEnded(ring.url, "60 seconds")

    assert.deepStrictEqual([end.code, end.signal], [0, null])
    assert.isAtLeast(end.millis, 6_500, "milliseconds that it waited for steps in hand")
    assert.isAtMost(end.millis, 10_000, "milliseconds until it had ended")
    const journal = yield* steps(ring.url)
    const delays = held.flatMap(({ at, id }) =>
      journal.filter((row) => row.task_id === id && row.body.kind === "woken" && row.body.runner === stayerSeat.address)
        .map((row) => row.at.getTime() - at.getTime())
    )
    assert.isAbove(delays.length, 0, "tasks were handed over")
    assert.isAtMost(Math.max(...delays), 11_000, "milliseconds until the last of them moved on")
    const { uncertain } = yield* audit({
      ...ring,
      accepted,
      signs: { [leaverSeat.address]: leaverScribe.sign, [stayerSeat.address]: stayerScribe.sign }
    })
    assert.strictEqual(uncertain, 0, "a call in hand is waited for")
  }
)

processTest("An API that is told to end closes its event streams and exits cleanly within five seconds", function*() {
  const ring = yield* makeRing()
  const door = yield* makeSeat
  const api = yield* start("api", { ...ring.environment, ...door.environment })
  const client = taskClient(door.port)
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
  const ring = yield* makeRing(yield* EmbeddedPostgres.start({ dataDir: folder, durable: false }))
  const seat = yield* makeSeat
  const scribe = yield* makeScribe({ sign: "one", latency: () => 200 })
  const service = yield* start("all", { ...ring.environment, ...seat.environment, ...scribe.environment("chat") })
  yield* submitAll(taskClient(seat.port), scribings("frozen", 20, 8))
  yield* until("the tasks are under way", Effect.map(stepCount(ring.url), (count) => count >= 60))
  const sessions = yield* query<{ pid: number }>(
    ring.url,
    "select pid from pg_stat_activity where application_name like 'troupe%' and application_name <> 'troupe-owner'"
  )
  yield* Effect.acquireRelease(signalAll(sessions, "SIGSTOP"), () => signalAll(sessions, "SIGCONT"))
  const end = yield* terminated(service)
  assert.deepStrictEqual([end.code, end.signal], [0, null])
  assert.isAtMost(end.millis, 15_000, "milliseconds until it had ended")
})

const signalAll = (sessions: ReadonlyArray<{ readonly pid: number }>, signal: "SIGCONT" | "SIGSTOP") =>
  Effect.forEach(sessions, ({ pid }) => Effect.ignore(Effect.try(() => process.kill(pid, signal))), { discard: true })
