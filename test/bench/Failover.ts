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

/** The surviving worker has slots for all tasks, so that the take-over is measured and not a lack of slots. */
const enoughSlots = { MAX_ACTIVE_TASKS: "512" }

/**
 * Two workers, 200 running tasks, `kill -9` of one worker: how long until each of its tasks made a step again, how many
 * tasks were lost, and how many committed model steps were requested again.
 */
export const failover = (bench: Bench) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    yield* writeDataFile(folder)
    const tasks = bench.options.quick ? 60 : 200
    const model = `read-r${rounds}-l700-m1`
    const { environment } = yield* freshEnvironment(bench, model, folder)
    const url = environment["DATABASE_URL"] ?? ""
    const [apiPort, apiRunner, killedPort, otherPort] = yield* Effect.all([freePort, freePort, freePort, freePort])
    const worker = (port: number) =>
      startService("worker", { ...environment, ...enoughSlots, RUNNER_PORT: String(port) })
    yield* startService("api", { ...environment, PORT: String(apiPort), RUNNER_PORT: String(apiRunner) })
    const first = yield* worker(killedPort)
    yield* worker(otherPort)
    yield* untilShards(url, 2)
    // Until each has about half of the shards.
    yield* Effect.sleep("3 seconds")
    yield* bench.model.ask("arrivals", {})

    const { submit } = yield* makeHttpClients(apiPort)
    const ids = yield* Effect.forEach(
      Array.from({ length: tasks }, (_, index) => index),
      (task) => Effect.promise(() => submit(messageOf(task))),
      { concurrency: 16 }
    )
    const admin = yield* connect(url)
    yield* untilRow(url, "select count(*) >= $1 as yes from steps", [tasks * 4], "60 seconds")
    const address = `127.0.0.1:${killedPort}`
    yield* first.kill
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

/** The first step of each orphaned task after the kill. */
const finding = `with moved as (
  select min(extract(epoch from at - $2::timestamptz)::float8) as after from steps
  where task_id = any($1::uuid[]) and at > $2::timestamptz group by task_id)
select percentile_cont(0.5) within group (order by after) as median, max(after) as longest, count(*)::integer as moved
from moved`

/** How many model steps of each were in the journal when it was taken over. */
const committing =
  `select s.task_id::text, count(*) filter (where s.body::json ->> 'kind' = 'model')::integer as answers
from steps s join (
  select task_id, min(seq) as seq from steps
  where task_id = any($1::uuid[]) and at > $2::timestamptz and body::json ->> 'kind' = 'woken' group by task_id
) w on w.task_id = s.task_id and s.seq < w.seq
group by s.task_id`

/** A completed task has one answer more than rounds; every further model step is a repetition. */
const outcome = `with counted as (
  select a.task_id, a.status, count(s.seq) filter (where s.body::json ->> 'kind' = 'model') as answers
  from actors a join steps s on s.task_id = a.task_id group by a.task_id, a.status)
select count(*) filter (where status = 'completed')::integer as complete,
  coalesce(sum(greatest(0, answers - $1::integer - 1)), 0)::integer as doubled
from counted`
