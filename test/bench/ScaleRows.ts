import { Effect } from "effect"
import type { Client } from "pg"
import { v7 } from "uuid"
import { nextBlock } from "../../dist/Task/Read/WordBlocks.js"
import { ask } from "./Postgres.ts"
import { messageOf } from "./Work.ts"

/** Years of finished tasks, tasks that wait for an answer, and tasks that are due: what a database has beside the running ones. */
export const kinds = ["finished", "waiting", "queued"] as const
export type Kind = typeof kinds[number]

const users = 1_000
const day = 86_400_000

/** How long ago the first of them was requested. */
const ages: Readonly<Record<Kind, number>> = { finished: 365 * day, waiting: 30 * day, queued: day / 24 }

/** What differs by kind. Of the finished ones a few failed or were cancelled, of those that wait a few sleep or have subtasks. */
const columns: Readonly<Record<Kind, string>> = {
  finished: `case when n % 40 in (9, 19) then 'failed' else 'completed' end, null, null, at + interval '1 second',
  at + interval '20 seconds', case n % 40 when 9 then 'failure' when 19 then 'cancelled' else 'answer' end,
  case n % 40 when 9 then 'Broken' when 19 then 'Cancelled.' end`,
  waiting: `case n % 40 when 11 then 'waiting_subagents' when 12 then 'running' else 'waiting_input' end,
  case when n % 40 = 12 then now() + interval '1 day' end,
  case when n % 40 not in (11, 12) then 'call_' || n end, at + interval '1 second', null, null, null`,
  queued: "'pending', at, null, null, null, null, null"
}

const atOnce = 20_000

const shards = 300

/** As the cluster library computes it; `checkShards` compares. */
const shardOf = (id: string): number => {
  let hash = 5381
  for (let index = id.length - 1; index >= 0; index--) hash = (hash * 33) ^ id.charCodeAt(index)
  return Math.abs(((hash & 0xbfffffff) | ((hash >>> 1) & 0x40000000)) % shards) + 1
}

/** Fails if a task that the service has made is in another shard than `fill` would give it. */
export const checkShards = (client: Client) =>
  Effect.flatMap(
    ask<{ id: string; shard: number }>(client, "select task_id::text as id, shard from actors"),
    (rows) =>
      rows.every(({ id, shard }) => shard === shardOf(id))
        ? Effect.void
        : Effect.dieMessage("The shards of the benchmark's rows are not those of the service")
  )

/**
 * Inserts tasks of a thousand users as the service has them, spread over their age, with the shards of their ids: of each its
 * request, its actor, and where it has run a step and a notification.
 */
export const fill = (
  client: Client,
  kind: Kind,
  rows: number,
  /** The last step of a task. */
  body: string
) =>
  Effect.gen(function*() {
    const [{ now } = { now: 0 }] = yield* ask<{ now: number }>(
      client,
      "select extract(epoch from now())::float8 * 1000 as now"
    )
    yield* ask(
      client,
      `insert into users (id, name) select 'user-' || n, 'User ' || n from generate_series(0, ${
        users - 1
      }) n on conflict do nothing`
    )
    for (let from = 0; from < rows; from += atOnce) {
      const times = Array.from(
        { length: Math.min(atOnce, rows - from) },
        (_, index) => Math.floor(now - 7_200_000 * Number(kind !== "queued") - ages[kind] * (1 - (from + index) / rows))
      )
      const ids = times.map((msecs) => v7({ msecs }))
      const values = [ids, ids.map(shardOf), times, from]
      yield* ask(client, insertTasks(kind), values)
      yield* ask(client, insertActors(kind), values)
      if (kind === "queued") continue
      yield* ask(client, insertSteps, [...values, body])
      yield* ask(client, insertNotifications, values)
    }
    if (kind === "finished") yield* ask(client, sumUsage)
    // As the job of the words does over hours.
    yield* Effect.repeat(ask(client, nextBlock), { while: ({ length }) => length > 0 })
    yield* ask(client, "vacuum analyze")
  })

const given = `(
  select r.id, r.shard, to_timestamp(r.millis / 1000) as at, r.n + $4::integer as n, 'user-' || (r.n + $4::integer) % ${users} as creator
  from unnest($1::uuid[], $2::integer[], $3::float8[]) with ordinality as r (id, shard, millis, n)
) r`

/** One of a hundred thousand has a word that no other one has. */
const insertTasks = (kind: Kind) =>
  `insert into tasks (id, created_at, creator, description, task_type, project_id, source, agent, webhook_type,
  archived_at)
select id, at, creator, '${messageOf(0)} ' || n || case when n % 100000 = 77777 then ' xylophone' else '' end,
  case when n % 50 = 3 then 'subtask' else 'task' end, case when n % 10 = 0 then 'project-' || n % 50 end,
  case when n % 5 = 0 then 'email' when n % 50 = 1 then 'webhook' end, case when n % 20 = 2 then 'agent-' || n % 7 end,
  case when n % 50 = 1 then 'orders' end, case when ${
    kind === "finished"
  } and n % 25 = 4 then at + interval '1 minute' end
from ${given}`

const insertActors = (kind: Kind) =>
  `insert into actors (task_id, shard, creator, updated_at, seq, model_calls, input_tokens, output_tokens, tool_calls,
  status, wake_at, last_tool_call_id, started_at, completed_at, ended_by, error)
select id, shard, creator, at, ${kind === "queued" ? "0, 0, 0, 0, 0" : "8, 4, 4000, 400, 3"}, ${
    columns[kind]
  } from ${given}`

const insertSteps = `insert into steps (task_id, at, seq, body) select id, at, 8, $5::text from ${given}`

const insertNotifications = `insert into notifications (user_id, id, task_id, seq, read_at)
select creator, notification_id(at, id, 8, 0), id, 8, case when n % 20 <> 0 then at end from ${given}`

/** As the job does hour by hour. */
const sumUsage = `insert into user_hours
select t.creator, date_trunc('hour', t.created_at, 'UTC'), count(*), count(*), sum(a.input_tokens), sum(a.output_tokens),
  sum(a.model_calls), sum(a.tool_calls), null
from actors a join tasks t on t.id = a.task_id where a.completed_at < (select until from usage_sums) group by 1, 2`
