import { maxCount } from "@troupe/domain/TaskCounts"
import { prepared } from "../Runtime/Database/PreparedStatements.ts"
import { claimOf } from "./ClaimStatement.ts"
import type { QueueTable } from "./QueueTable.ts"

/** Rows that one statement deletes. */
export const purgeBatch = 1_000

const claimParameters = ["queue", "limit", "lease", "maxAttempts", "afterLane", "limitOfLane", "firstDelay"] as const

/** Statements of a queue. Each change of a row is fenced by the id and the epoch of its claim. */
export const statementsOf = (t: QueueTable) => {
  const isClaimed = `m.state = '${t.claimed}'`
  const change = <const P extends string>(
    name: string,
    parameters: ReadonlyArray<P>,
    set: string,
    condition = isClaimed
  ) =>
    prepared(
      `${t.name}_${name}`,
      ["id", "epoch", ...parameters],
      `update ${t.name} m set ${set} where id = $id::uuid and epoch = $epoch::integer and ${condition} returning 1`
    )
  const purge = (name: string, state: string) => prepared(`${t.name}_${name}`, ["days"], purgeOf(t, state))
  return {
    claim: prepared(
      `${t.name}_claim`,
      t.group === undefined ? claimParameters : [...claimParameters, "afterGroup", "exceptGroups"],
      claimOf(t)
    ),
    renew: change("renew", ["lease"], "due_at = now() + $lease::float8 * interval '1 second'"),
    handOver: change(
      "hand_over",
      ["lease", "isFinal"],
      "handed_over = $isFinal::boolean, due_at = now() + $lease::float8 * interval '1 second'"
    ),
    /** What was handed over also where it has failed as uncertain meanwhile: the result is known now. */
    finish: change(
      "finish",
      ["remark", ...t.onDone?.parameters ?? []],
      `state = '${t.done}', due_at = null, ended_at = now(), last_error = $remark::text${
        t.onDone === undefined ? "" : `, ${t.onDone.set}`
      }`,
      t.handsOver ? `m.state in ('${t.claimed}', 'failed')` : isClaimed
    ),
    fail: change("fail", ["error"], "state = 'failed', due_at = null, ended_at = now(), last_error = $error::text"),
    /** `$uncounted`: 1 if the attempt does not count. A row that was handed over is not released. */
    retry: change(
      "retry",
      ["pause", "error", "uncounted"],
      `state = 'pending', due_at = now() + $pause::float8 * interval '1 second', attempts = m.attempts - $uncounted::integer,
  last_error = coalesce($error::text, m.last_error)${t.handsOver ? ", handed_over = false" : ""}`,
      t.handsOver ? `${isClaimed} and ($uncounted::integer = 0 or not m.handed_over)` : isClaimed
    ),
    drop: prepared(
      `${t.name}_drop`,
      ["id", "epoch"],
      `delete from ${t.name} m where id = $id::uuid and epoch = $epoch::integer and ${isClaimed}`
    ),
    counts: prepared(`${t.name}_counts`, [], countsOf(t, "", maxCount)),
    /** For metrics: not limited. */
    countsOfQueue: prepared(
      `${t.name}_counts_of_queue`,
      ["queue"],
      countsOf(t, ` and ${t.queue} = $queue::text`, "all")
    ),
    /** The states are in the text, because the index of ended rows is used for no parameter. */
    purgeDone: purge("purge_done", t.done),
    purgeFailed: purge("purge_failed", "failed")
  }
}

/** Rows that ended more than `$days` ago. */
const purgeOf = ({ name }: QueueTable, state: string): string =>
  `delete from ${name} m using (
  select id from ${name} where state = '${state}' and ended_at < now() - make_interval(days => $days::integer)
  order by ended_at limit ${purgeBatch} for update skip locked
) old
where m.id = old.id returning 1`

/**
 * Up to so many unfinished rows of each queue, in the order of the index, and the last failed rows. Of a longer queue the ages
 * are those of the rows that were read.
 */
const countsOf = (t: QueueTable, condition: string, limit: number | "all") =>
  `with recursive queues(queue) as (
  (select ${t.queue} from ${t.name} where due_at is not null${condition} order by ${t.queue} limit 1)
  union all
  select n.queue from queues q cross join lateral (
    select ${t.queue} as queue from ${t.name} where due_at is not null${condition} and ${t.queue} > q.queue
    order by ${t.queue} limit 1
  ) n
)
select queue, sum(unfinished)::integer as unfinished, max(oldest)::float8 as "oldestSeconds",
  sum(overdue)::integer as overdue, max(overdue_for)::float8 as "overdueSeconds", sum(failed)::integer as failed
from (
  select q.queue, count(*) as unfinished, extract(epoch from now() - min(u.since)) as oldest,
    count(*) filter (where u.due_at < now() - interval '1 minute') as overdue,
    coalesce(extract(epoch from now() - min(u.due_at) filter (where u.due_at < now() - interval '1 minute')), 0)
      as overdue_for, 0 as failed
  from queues q cross join lateral (
    select due_at, ${t.since} as since from ${t.name} where due_at is not null and ${t.queue} = q.queue limit ${limit}
  ) u group by q.queue
  union all
  select queue, 0, 0, 0, 0, count(*) from (
    select ${t.queue} as queue from ${t.name} where state = 'failed'${condition} order by ended_at desc limit ${limit}
  ) f group by queue
) parts group by queue order by queue`
