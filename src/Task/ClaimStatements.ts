import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { stepTime } from "./JournalStatements.ts"
import { suspectQueue } from "./ProcessDeaths.ts"
import { shardGroup } from "./Shards.ts"

/** How many tasks a look sees at most, besides those in line: what it has no place for it must put there. */
const bound = "greatest($4::integer, 500)"

const isAlive = (address: string): string =>
  `(select r.last_heartbeat from cluster_runners r where r.address = ${address})
        > localtimestamp - make_interval(secs => $2)`

/**
 * Of a shard that this runner thinks its own and whose lock the database says it holds, and without an actor. The locks
 * of a runner hold while the signs of life that it gives are fresh (see Runtime/ShardLocks).
 */
const isOurs = `substring($3::bit varying from a.shard for 1) = B'1' and a.task_id <> all($7::uuid[])
      and (select l.address from cluster_locks l where l.shard_id = '${shardGroup}:' || a.shard) = $1
      and ${isAlive("$1")}`

const inLine = `a.line = $1 and a.wake_at <= now()`

const strays = (side: "<" | ">"): string =>
  `select a.task_id, a.creator, a.wake_at from actors a
    where $9::float8 is null and a.line ${side} $1 and a.line > '${suspectQueue}' and a.wake_at <= now() and ${isOurs}`

const busyWith = (creator: string): string => `coalesce((select b.n from busy b where b.creator = ${creator}), 0)`

/** 1 for a user with something in line that this runner may take, else 0. */
const offers = `(
      ${busyWith("next.creator")} < $5::integer
      and (select true from actors a where ${inLine} and a.creator = next.creator and ${isOurs} limit 1) is not null
    )::integer`

/** Whether this statement claims a task that another claim holds. */
const recoversAny = `(select true from due d
            cross join lateral (select h.runner from actors h where h.task_id = d.task_id limit 1) h
            where h.runner is not null limit 1)`

/**
 * How the claim is made (see migration 0013). A row that is still held shows that its holder ended, unless the holder's
 * heartbeat is fresh. A row with this runner's own address was held by an earlier process if it is older than this
 * process; a younger one is a task that this process could not release, for example while the database was away. The
 * time of the shard's lock can't decide that: the lock is taken anew after each outage. A live process that was cut off
 * until another runner took its shards can't be told from one that ended, and counts as ended.
 */
const claimKind = `case
        when a.runner is null then
          case when a.line = '${suspectQueue}' and $11::boolean and ${recoversAny} is null then 'alone' end
        when a.runner = $1 and a.updated_at >= $12::timestamptz then 'moved'
        when a.runner <> $1 and ${isAlive("a.runner")} then 'moved'
        else 'recovered' end`

const deaths = `(claim_kind, process_deaths, lone_deaths, line) = (
      select k.kind, a.process_deaths + k.died,
        a.lone_deaths + case when a.claim_kind = 'alone' and a.process_deaths > 1 then k.died else 0 end,
        case when a.process_deaths + k.died > 1 then '${suspectQueue}' else a.line end
      from (select c.kind, (c.kind is not distinct from 'recovered')::integer as died
        from (select ${claimKind} as kind) c) k
    )`

// The plan of a prepared statement is made once, whatever the tables hold then. So that it stays right, conditions are
// written such that only one index fits each, and that no table can be walked through to look each row up among the
// few claimed ones: a scalar subquery is never hashed over all due rows, as an `exists` may be, `coalesce` keeps the
// index of due rows out of the updates, which go by the primary key, and so does the lateral `limit`.
/**
 * A look costs what there is for this runner, not what sleeps or waits for others. `arrived` is what has come due since
 * the last look, by the index of times; `strayed`, in a look that goes all the way back, what stands in the line of
 * a runner that had its shard before. `turns` walks over the users in this runner's line, beginning behind $6 and
 * around once, by skipping from one to the next, until it has met $4 of them from whom it may take something (`n`
 * counts these); each offers its oldest. `suspected` is the oldest suspect of a user below the share, if $10 allows
 * one: the first of its user's tasks, before older ones, or no other user's suspect would be claimed until that user's
 * queue is empty. With $11 this process runs no other task that counts a death.
 */
export const take: Prepared = {
  name: "claims_take",
  text: `
with recursive busy as materialized (
  select creator, count(*) as n from unnest($8::text[]) as b(creator) group by creator
), arrived as materialized (
  select a.task_id, a.creator, a.wake_at from actors a
  where a.line is null and a.wake_at <= now()
    and a.wake_at > coalesce(now() - make_interval(secs => $9::float8), '-infinity') and ${isOurs}
  order by a.wake_at limit ${bound}
), strayed as materialized (
  (${strays("<")}) union all (${strays(">")}) limit ${bound}
), turns(creator, wrapped, n) as (
  select $6::text, false, 0
  union all
  select next.creator, next.wrapped, t.n + ${offers}
  from turns t cross join lateral (
    (select a.creator, t.wrapped from actors a
      where ${inLine} and a.creator > t.creator and (not t.wrapped or a.creator <= $6::text)
      order by a.creator limit 1)
    union all
    (select a.creator, true from actors a
      where not t.wrapped and ${inLine} and a.creator <= $6::text
      order by a.creator limit 1)
    limit 1
  ) next
  where t.n < $4::integer
), suspected as materialized (
  select a.task_id, a.creator, a.wake_at from actors a
  where $10::boolean and a.line = '${suspectQueue}' and a.wake_at <= now() and ${busyWith("a.creator")} < $5::integer
    and ${isOurs}
  order by a.wake_at limit 1
), seen as (
  select * from arrived union all select * from strayed
), offered as (
  select task_id, creator, wake_at, false as is_suspect from seen
  union all
  select task_id, creator, wake_at, true from suspected
  union all
  select d.*, false from turns t cross join lateral (
    select a.task_id, a.creator, a.wake_at from actors a
    where ${inLine} and a.creator = t.creator and ${isOurs}
    order by a.wake_at
    limit greatest(0, least($4::integer, $5::integer - ${busyWith("t.creator")}))
  ) d
  where t.n > 0
), due as (
  select o.task_id, o.creator, o.place from (
    select task_id, creator, row_number() over (partition by creator order by is_suspect desc, wake_at) as place
    from offered
  ) o
  where o.place <= $5::integer - ${busyWith("o.creator")}
  order by o.place, o.creator <= $6::text, o.creator
  limit $4::integer
), lined as (
  update actors a set line = $1
  where a.task_id = any(array(select task_id from seen where task_id <> all(array(select task_id from due))))
    and coalesce(a.wake_at, 'infinity') <= now()
), claimed as (
  update actors a set
    epoch = a.epoch + 1, seq = a.seq + 1, attempts = a.attempts + (a.runner is null)::integer,
    updated_at = ${stepTime}, ${deaths},
    status = case when a.status in ('pending', 'waiting_subagents') then 'running' else a.status end,
    last_tool_call_id = case when a.status <> 'waiting_subagents' then a.last_tool_call_id end,
    started_at = coalesce(a.started_at, ${stepTime}),
    runner = $1, job_seq = a.seq + 1
  where a.task_id = any(array(select task_id from due)) and coalesce(a.wake_at, 'infinity') <= now()
  returning a.*
), woken as (
  insert into steps (task_id, seq, at, body)
  select c.task_id, c.seq, c.updated_at, format('{"kind":"woken","epoch":%s,"reason":"%s","runner":%s%s}', c.epoch,
    case when c.seq = 1 then 'first' when c.attempts > 1 or c.process_deaths > 0 then 'recovery'
      else coalesce((select case when p.body like '{"kind":"retried"%' then 'retry' end
        from steps p where p.task_id = c.task_id and p.seq = c.seq - 1), 'resume') end,
    to_json(c.runner), case when c.claim_kind = 'recovered' then format(',"deaths":%s', c.process_deaths) end)
  from claimed c
)
select m.has_more, c.task_id::text, c.epoch, c.seq, c.status, c.progress, c.attempts, c.inbox_sent, c.creator,
  c.process_deaths, c.lone_deaths, c.claim_kind,
  t.task_type, t.agent_type, t.description, t.context, t.project_id, t.attachments,
  t.token_budget, t.max_iterations, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  extract(epoch from now() - c.wake_at)::float8 as waited
from (select greatest((select count(*) from arrived), (select count(*) from strayed)) >= ${bound} as has_more) m
left join (claimed c
  cross join lateral (select * from tasks where id = c.task_id limit 1) t
  join due on due.task_id = c.task_id) on true
order by due.place, due.creator <= $6::text, due.creator`
}

/** The database's time at the precision of `actors.updated_at`, rounded down. */
export const clock: Prepared = {
  name: "claims_clock",
  text: "select date_trunc('milliseconds', now())::text as now"
}

export const release: Prepared = {
  name: "claims_release",
  text: `
with let_go as (
  update actors a set attempts = greatest(0, a.attempts - 1), runner = null
  from unnest($1::uuid[], $2::integer[]) as h(task_id, epoch)
  where a.task_id = h.task_id and a.epoch = h.epoch and a.wake_at is not null
  returning a.shard
)
select pg_notify('troupe_wake', $3::text || ' ' || string_agg(distinct shard::text, ' '))
from let_go where $3::text is not null having count(*) > 0`
}

export const stale: Prepared = {
  name: "claims_stale",
  text: `
select h.task_id::text from unnest($1::uuid[], $2::integer[]) as h(task_id, epoch)
left join actors a on a.task_id = h.task_id
where a.epoch is distinct from h.epoch`
}
