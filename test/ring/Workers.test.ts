import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { query } from "../support/Database.ts"
import { allEnded, haveShards, processTest, stepCount } from "../support/Deployment.ts"
import { parseCallId } from "../support/LineModel.ts"
import { terminated, until } from "../support/Processes.ts"
import { type Given, givenWorkers } from "./threeWorkers.ts"

const jobs = [
  "approval_reminders",
  "bulk_operations",
  "daily_digest",
  "housekeeping",
  "inbound_retention",
  "outbox_cleanup",
  "schedule_cleanup",
  "scheduler",
  "sign_ins",
  "snapshot_cleanup",
  "task_history",
  "task_retention",
  "task_words",
  "tool_server_tokens",
  "unattended"
].map((name) => `${name}: cluster`)

/** The tasks of the killed and of the frozen worker move to the third. */
const failover = Effect.fnUntraced(function*(given: Given) {
  const { deployment: { url }, frozen, killed, remaining } = given
  const http = yield* Layer.build(NodeHttpClient.layerUndici)
  const client = yield* Effect.provide(TroupeClient.make({ baseUrl: `http://127.0.0.1:${given.apiPort}` }), http)
  const health = Effect.orDie(client.tasks.workerHealth())
  const haveRun = (processes: number) =>
    Effect.map(health, ({ scheduled_jobs }) => {
      // Whether notifications arrive is first reported after a minute.
      const run = scheduled_jobs.filter(({ last_run_at, name }) => last_run_at !== null && name !== "notifications")
      const refreshes = Array.from({ length: processes }, () => ["agents_refresh: process", "skills_refresh: process"])
        .flat()
      const spending = Array.from({ length: processes - 1 }, () => "spending: process")
      return run.map(({ name, scope }) => `${name}: ${scope}`).join() ===
        [...jobs, ...refreshes, ...spending].toSorted().join()
    })
  yield* until("every job has run", haveRun(4))
  // A job of the cluster that runs more often costs an idle process statements.
  const often = (yield* health).scheduled_jobs.filter(({ last_run_at, next_run_at, scope }) =>
    scope === "cluster" && Date.parse(next_run_at ?? "") - Date.parse(last_run_at ?? "") < 10_000
  )
  assert.deepStrictEqual(often, [])
  yield* until("all heartbeats are in time", Effect.map(health, ({ status }) => status === "healthy"))

  const accepted = yield* given.submit("moved", 40, 4)
  yield* until("the tasks are well under way", Effect.map(stepCount(url), (count) => count >= 145))
  given.phase.current = "frozen"
  yield* frozen.process.signal("SIGSTOP")
  yield* killed.process.signal("SIGKILL")
  yield* killed.process.ended
  const missed = yield* Effect.fork(
    until("a heartbeat is missed", Effect.map(health, ({ status }) => status === "degraded"))
  )
  const at = yield* given.now
  const [orphans, held] = [yield* given.heldBy(killed.address), yield* given.heldBy(frozen.address)]
  assert.isAbove(orphans.length, 2, "the kill hit many tasks at work")
  assert.isAbove(held.length, 2, "many tasks froze with the other")
  yield* allEnded(url, "60 seconds")
  yield* Fiber.join(missed)

  const journal = yield* given.journal
  const delays = [...orphans, ...held].map(({ id }) => {
    const taken = journal[id]?.find(({ at: woken, body }) =>
      woken.getTime() > at && body.kind === "woken" && body.runner === remaining.address
    )
    return taken === undefined ? Number.POSITIVE_INFINITY : taken.at.getTime() - at
  })
  assert.isAtMost(Math.max(...delays), 10_000, "milliseconds until the last of them moved again")
  yield* until("the jobs of both are gone", haveRun(2))
  const holders = query<{ process: string }>(url, "select process from scheduled_jobs where scope = 'cluster'")
  yield* until(
    "the third worker runs the jobs of the cluster",
    Effect.map(
      holders,
      (rows) => rows.length === jobs.length && rows.every(({ process }) => process === remaining.address)
    ),
    "60 seconds"
  )
  return accepted
})

/** The frozen worker continues and takes over tasks whose steps hang at the third. */
const rejoin = Effect.fnUntraced(function*(given: Given) {
  const { frozen, remaining } = given
  const { arrivals, hangUps } = given.remainingModel
  const count = 24
  yield* Effect.all([Queue.takeAll(arrivals), Queue.takeAll(hangUps)])
  // The first turn is answered, and the second never is.
  const accepted = yield* given.submit("hanging", count, 3)
  yield* Queue.takeN(arrivals, 2 * count)
  const before = yield* given.journal

  given.phase.current = "rejoined"
  yield* frozen.process.signal("SIGCONT")
  yield* haveShards(given.url, [frozen.address, remaining.address])
  const completed = Effect.map(
    query<{ id: string }>(given.url, "select task_id as id from actors where status = 'completed'"),
    (rows) => accepted.filter((task) => rows.some(({ id }) => id === task.id))
  )
  yield* until("tasks move and complete", Effect.map(completed, ({ length }) => length >= 5))
  const moved = yield* completed
  yield* until(
    "the third has ended the calls of the tasks that moved",
    Effect.map(Queue.size(hangUps), (interrupted) => interrupted >= moved.length)
  )

  const after = yield* given.journal
  for (const { id } of accepted) {
    const committed = before[id] ?? []
    assert.deepStrictEqual(committed.map(({ body }) => body.kind), ["woken", "model", "started", "results"], id)
    assert.deepStrictEqual(after[id]?.slice(0, committed.length), committed, id)
  }
  return accepted
})

/** The third worker stops, with calls that it waits for and others that hang; the API stops meanwhile. */
const shutdown = Effect.fnUntraced(function*(given: Given) {
  const { api, frozen, remaining } = given
  const accepted = yield* given.submit("called", 24, 2)
  const held = yield* given.heldBy(remaining.address)
  const calls = accepted.filter(({ id }) => held.some((task) => task.id === id))
  assert.isAbove(calls.length, 2, "it has many tasks at work")
  assert.isAbove(held.length, calls.length, "and some that hang")
  given.phase.current = "stopped"
  const at = yield* given.now
  const stopping = yield* Effect.fork(terminated(remaining.process))

  let seen = 0
  const watching = yield* HttpClient.get(`http://127.0.0.1:${given.apiPort}/events`).pipe(
    Effect.flatMap(({ stream }) => Stream.runForEach(stream, () => Effect.sync(() => (seen += 1)))),
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.exit,
    Effect.fork
  )
  yield* until("the stream is open", Effect.sync(() => seen > 0))
  const apiEnd = yield* terminated(api)
  assert.deepStrictEqual([apiEnd.code, apiEnd.signal], [0, null])
  assert.isAtMost(apiEnd.millis, 5_000, "milliseconds until the API had ended")
  yield* Fiber.join(watching)

  const end = yield* Fiber.join(stopping)
  assert.deepStrictEqual([end.code, end.signal], [0, null])
  assert.isAtLeast(end.millis, 6_500, "milliseconds that it waited for its steps")
  assert.isAtMost(end.millis, 15_000, "milliseconds until it had ended")
  yield* allEnded(given.url, "60 seconds")
  const journal = yield* given.journal
  const waitedFor = calls.filter(({ id }) =>
    journal[id]?.some((row) =>
      row.at.getTime() > at && row.body.kind === "model"
      && row.body.message.tool_calls.some((call) => parseCallId(call.id)?.label === "remaining")
    )
  )
  assert.isAbove(waitedFor.length, 0, "current calls were waited for")
  for (const { id } of held) {
    const runners = journal[id]?.flatMap(({ body }) => body.kind === "woken" ? [body.runner] : [])
    assert.strictEqual(runners?.at(-1), frozen.address, "each was handed over")
  }
  return accepted
})

processTest(
  "Tasks of workers that are killed, frozen or stopped move to another within ten seconds, and each step is done once",
  function*() {
    const given = yield* givenWorkers
    const moved = yield* failover(given)
    const first = yield* given.audited(moved)
    const hanging = yield* rejoin(given)
    const called = yield* shutdown(given)
    const last = yield* given.audited([...moved, ...hanging, ...called])
    // A shard that moves and a shutdown count no death, and a current call is waited for.
    assert.deepStrictEqual(last, first)
  }
)
