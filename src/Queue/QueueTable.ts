import { maxCount } from "@troupe/domain/TaskCounts"
import { prepared } from "../Runtime/Database/PreparedStatements.ts"

/**
 * A table that is a durable queue. Besides the columns named here it has `id`, `state` (`pending`, `claimed`, `done` or
 * `failed`; a table may name the states `claimed` and `done` differently), `attempts`, `epoch` (the number of the claim;
 * only the newest one may change the row), `due_at` (when it is claimed next: a pending row after its pause, a claimed one
 * when its lease ends; null once it has ended), `ended_at` and `last_error`.
 */
export interface QueueTable {
  readonly name: string
  /** The column by whose values consumers divide the table. */
  readonly queue: string
  readonly claimed: string
  readonly done: string
  /** When a row was added. */
  readonly since: string
  /** Rows with the same lane and key, a UUID, are processed one after the other, by their position. */
  readonly lane: string
  readonly key?: string
  readonly position: string
  /** Rows whose lane is null are in no order. Claims are divided fairly among the values of this column. */
  readonly group?: string
  /** Whether a row's effect outside can't be repeated. It has the column `handed_over`: it may have happened. */
  readonly handsOver: boolean
  /** More columns of a claim, of the row `m`. */
  readonly columns: string
  /** What else the end of a row changes, with these parameters. */
  readonly onDone?: { readonly set: string; readonly parameters: ReadonlyArray<string> }
}

/** Assignments that make an ended row due again. */
export const dueAgain = ({ handsOver }: QueueTable): string =>
  `state = 'pending', attempts = 0, due_at = now(), ended_at = null${handsOver ? ", handed_over = false" : ""}`

/** How many orders one claim considers, and how many of one lane; the next claim goes on after the last lane. */
const maxOrders = 500
const maxOrdersOfLane = 200
/** The same of groups. */
const maxGroups = 64

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

/**
 * The oldest unfinished row of each order, if it is due and its lane has fewer than `$limitOfLane` claimed ones; of rows without an
 * order, a share of each group, oldest first. Reads one index entry for each order and group. A row whose process has
 * ended fails if it was handed over or was its last attempt; from the second time on it first waits (`$firstDelay` seconds, and
 * longer each time). The commit waits for the disk only where an effect outside can't be repeated: a claim that the
 * database server loses in a crash leaves a row that is due again with its earlier epoch, so the next claim has the same
 * one, and `handOver` would not tell them apart. Elsewhere the statement that ends the row does, by its state.
 */
const claimOf = (t: QueueTable) => {
  const { claimed, group, key, lane, name } = t
  const leaseEnded = `m.state = '${claimed}'`
  const isUncertain = t.handsOver ? `${leaseEnded} and m.handed_over` : "false"
  const byOutcome = (cases: Readonly<Record<"uncertain" | "exhausted" | "deferred" | "claimed", string>>) =>
    `case when ${isUncertain} then ${cases.uncertain} when ${leaseEnded} and m.attempts >= $maxAttempts::integer then ${cases.exhausted}
    when ${leaseEnded} and m.attempts > 1 then ${cases.deferred} else ${cases.claimed} end`
  const ended = "'Attempt ' || m.attempts || ' ended with its process, without a result.'"
  return `with recursive heads as (
  (select f.*, 1 as place from (${firstOrder(t, `${lane} > $afterLane::text`)}) f)
  union all
  select n.*, case when n.lane = h.lane then h.place + 1 else 1 end from heads h cross join lateral (${
    firstOrder(
      t,
      key === undefined
        ? `${lane} > h.lane`
        : `(${lane}, ${key}) > (h.lane, case when h.place < ${maxOrdersOfLane} then h.key else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end)`
    )
  }) n
), considered as materialized (
  select * from heads limit ${maxOrders}
), ranked as materialized (
  select lane, id, due_at, row_number() over (
    partition by lane order by (is_claimed and due_at > now()) desc, (due_at <= now()) desc, id
  ) as n from considered
), ordered as materialized (
  select r.lane, d.id from (
    select lane, id from ranked where due_at <= now() and n <= $limitOfLane::integer order by lane, n
  ) r cross join lateral (
    select m.id from ${name} m where m.id = r.id and m.due_at <= now() limit 1 for update skip locked
  ) d limit $limit::integer
), ${group === undefined ? "chosen as (select id from ordered)" : unordered(t, group)}, changed as (
  update ${name} m set
    state = ${
    byOutcome({ uncertain: "'failed'", exhausted: "'failed'", deferred: "'pending'", claimed: `'${claimed}'` })
  },
    attempts = m.attempts + ${byOutcome({ uncertain: "0", exhausted: "0", deferred: "0", claimed: "1" })},
    epoch = m.epoch + ${byOutcome({ uncertain: "0", exhausted: "0", deferred: "0", claimed: "1" })},
    due_at = now() + ${
    byOutcome({
      uncertain: "null",
      exhausted: "null",
      deferred: "least($firstDelay::float8 * 3 ^ least(m.attempts - 2, 20), 3600)",
      claimed: "$lease::float8"
    })
  } * interval '1 second',
    ended_at = ${byOutcome({ uncertain: "now()", exhausted: "now()", deferred: "null", claimed: "null" })},
    last_error = case when ${isUncertain} then
        'The process ended while the message was being sent: it may have arrived. Retry it if it did not.'
      when ${leaseEnded} then ${ended} else m.last_error end
  from chosen where m.id = chosen.id
  returning m.state = '${claimed}' as "isClaimed", m.state, ${t.handsOver ? "m.handed_over" : "false"} as "isUncertain",
    m.id::text, m.epoch, m.attempts::integer, extract(epoch from now() - m.${t.since})::float8 as "ageSeconds", ${t.columns}
)
select w.*, c.* from (select case
    when (select count(*) from ordered) = $limit::integer then (select max(lane) from ordered)
    -- Not all orders of the last lane were considered.
    when (select count(*) from considered) = ${maxOrders} then (
      select max(lane) from considered where lane < (select max(lane) from considered)
    ) end as "nextLane", ${
    group === undefined
      ? "null"
      : `(select max(name) from considered_groups having count(*) = ${maxGroups})`
  } as "nextGroup"
) w ${
    t.handsOver ? "" : "cross join (select set_config('synchronous_commit', 'off', true)) quick "
  }left join changed c on true`
}

const firstOrder = ({ claimed, key, lane, name, position, queue }: QueueTable, after: string) =>
  `select ${lane} as lane, ${key === undefined ? "" : `${key} as key, `}id, due_at, state = '${claimed}' as is_claimed
    from ${name} where ${queue} = $queue::text and due_at is not null and ${after}
    order by ${lane}, ${key === undefined ? "" : `${key}, `}${position} limit 1`

/** Without `$exceptGroups`; the groups up to `$afterGroup` were considered by earlier claims. */
const unordered = ({ lane, name, position, queue }: QueueTable, group: string) => {
  const first = (after: string) =>
    `select ${group} as name from ${name} where ${queue} = $queue::text and due_at is not null and ${group} > ${after}
    order by ${group} limit 1`
  return `groups as (
  (${first("$afterGroup::text")})
  union all
  select n.* from groups g cross join lateral (${first("g.name")}) n
), considered_groups as materialized (
  select name from groups limit ${maxGroups}
), allowed as (
  select name from considered_groups where name <> all ($exceptGroups::text[])
), unordered as materialized (
  select d.id, row_number() over (partition by a.name order by d.due_at, d.${position}) as turn
  from allowed a cross join lateral (
    select m.id, m.due_at, m.${position} from ${name} m
    where m.${queue} = $queue::text and m.${group} = a.name and m.${lane} is null and m.due_at <= now()
    order by m.${lane}, m.due_at, m.${position}
    limit (select greatest(1, ceil($limit::integer / count(*)::float8))::integer from allowed)
    for update skip locked
  ) d
), chosen as materialized (
  select id from (
    select id, turn from unordered union all select id, row_number() over () from ordered
  ) both_kinds order by turn, random() limit $limit::integer
)`
}
