import type { QueueTable } from "./QueueTable.ts"

/** How many orders one claim considers, and how many of one lane; the next claim goes on after the last lane. */
const maxOrders = 500
const maxOrdersOfLane = 200
/** The same of groups. */
const maxGroups = 64

/**
 * The text of the statement that claims rows of a queue: the oldest unfinished row of each order, if it is due and its lane has fewer than `$limitOfLane` claimed ones; of rows without an
 * order, a share of each group, oldest first. Reads one index entry for each order and group. A row whose process has
 * ended fails if it was handed over or was its last attempt; from the second time on it first waits (`$firstDelay` seconds, and
 * longer each time). The commit waits for the disk only where an effect outside can't be repeated: a claim that the
 * database server loses in a crash leaves a row that is due again with its earlier epoch, so the next claim has the same
 * one, and `handOver` would not tell them apart. Elsewhere the statement that ends the row does, by its state.
 */
export const claimOf = (t: QueueTable) => {
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
