import { Effect } from "effect"
import { type Bench, freshEnvironment } from "./Bench.ts"
import { untilShards, writeDataFile } from "./Chat.ts"
import { freePort, startService } from "./Child.ts"
import { makeHttpClients } from "./HttpClients.ts"
import { print, round } from "./Line.ts"
import { sharedClock } from "./Machine.ts"
import { ask, connect, temporaryFolder } from "./Postgres.ts"
import { untilRow } from "./Window.ts"
import { messageOf } from "./Work.ts"

const rounds = 8

/** The heir has places for all tasks at once: it is the fall that is measured, not a worker that is full. */
const roomy = { MAX_ACTIVE_TASKS: "512" }

/**
 * Two workers, 200 tasks in flight, `kill -9` of one: how long until each task that it had took a step again, what got
 * lost, and which committed model step was asked for a second time.
 */
export const failover = (bench: Bench) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    yield* writeDataFile(folder)
    const tasks = bench.options.quick ? 60 : 200
    const model = `read-r${rounds}-l700-m1`
    const { environment } = yield* freshEnvironment(bench, model, folder)
    const url = environment["DATABASE_URL"] ?? ""
    const [doorPort, apiRunner, victimPort, heirPort] = yield* Effect.all([freePort, freePort, freePort, freePort])
    const worker = (port: number) => startService("worker", { ...environment, ...roomy, RUNNER_PORT: String(port) })
    yield* startService("api", { ...environment, PORT: String(doorPort), RUNNER_PORT: String(apiRunner) })
    const victim = yield* worker(victimPort)
    yield* worker(heirPort)
    yield* untilShards(url, 2)
    // Shares settle: each gets about half.
    yield* Effect.sleep("3 seconds")
    yield* bench.model.ask("arrivals", {})

    const { submit } = yield* makeHttpClients(doorPort)
    const ids = yield* Effect.forEach(
      Array.from({ length: tasks }, (_, index) => index),
      (task) => Effect.promise(() => submit(messageOf(task))),
      { concurrency: 16 }
    )
    const admin = yield* connect(url)
    yield* untilRow(url, "select count(*) >= $1 as yes from steps", [tasks * 4], "60 seconds")
    const address = `127.0.0.1:${victimPort}`
    yield* victim.kill
    const killedAt = sharedClock()
    const [killed] = yield* ask<{ at: Date }>(admin, "select clock_timestamp() as at")
    const orphans = yield* ask<{ task_id: string }>(
      admin,
      "select task_id::text from actors where runner = $1 and status = 'running' and wake_at is not null",
      [address]
    )
    yield* untilRow(
      url,
      "select count(*) = 0 as yes from actors where status not in ('completed', 'failed')",
      [],
      "60 seconds"
    )

    const arrivals = yield* bench.model.ask("arrivals", {})
    const [found] = yield* ask<Found>(admin, finding, [orphans.map((row) => row.task_id), killed?.at])
    const committed = yield* ask<{ task_id: string; answers: number }>(admin, committing, [
      orphans.map((row) => row.task_id),
      killed?.at
    ])
    const numbers = new Map(ids.map((id, index) => [index, id]))
    const answersOf = new Map(committed.map((row) => [row.task_id, row.answers]))
    const repeated = arrivals.filter(({ at, results, task }) =>
      at > killedAt && results < (answersOf.get(numbers.get(task) ?? "") ?? 0)
    )
    const [whole] = yield* ask<{ complete: number; doubled: number }>(admin, outcome, [rounds])
    print("failover", {
      tasks,
      rounds,
      model,
      variant: "api and two workers, kill -9 of one",
      orphans: orphans.length,
      again_p50_s: round(found?.median ?? Number.NaN),
      again_max_s: round(found?.longest ?? Number.NaN),
      orphans_again: found?.moved ?? 0,
      lost: tasks - (whole?.complete ?? 0),
      doubled_steps: (whole?.doubled ?? 0) + repeated.length
    })
  }).pipe(Effect.scoped)

interface Found {
  readonly median: number
  readonly longest: number
  readonly moved: number
}

/** The first step after the kill of each orphan. */
const finding = `with moved as (
  select min(extract(epoch from at - $2::timestamptz)::float8) as after from steps
  where task_id = any($1::uuid[]) and at > $2::timestamptz group by task_id)
select percentile_cont(0.5) within group (order by after) as median, max(after) as longest, count(*)::integer as moved
from moved`

/** How many model steps of each stood in the journal when it was taken over. */
const committing =
  `select s.task_id::text, count(*) filter (where s.body::json ->> 'kind' = 'model')::integer as answers
from steps s join (
  select task_id, min(seq) as seq from steps
  where task_id = any($1::uuid[]) and at > $2::timestamptz and body::json ->> 'kind' = 'woken' group by task_id
) w on w.task_id = s.task_id and s.seq < w.seq
group by s.task_id`

/** A complete task has one answer more than rounds; every model step beyond was done twice. */
const outcome = `with counted as (
  select a.task_id, a.status, count(s.seq) filter (where s.body::json ->> 'kind' = 'model') as answers
  from actors a join steps s on s.task_id = a.task_id group by a.task_id, a.status)
select count(*) filter (where status = 'completed')::integer as complete,
  coalesce(sum(greatest(0, answers - $1::integer - 1)), 0)::integer as doubled
from counted`
