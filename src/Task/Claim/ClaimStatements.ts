import { eventOfChange } from "@troupe/domain/Subscription"
import type { TaskStatus } from "@troupe/domain/Task"
import type { AgentTask } from "../../Agent/AgentDependencies.ts"
import { type Audience, audienceOf } from "../../Delivery/Audience.ts"
import { eventFacts, outboxSignal, publishEvents, withTask } from "../../Delivery/Outbox.ts"
import type { Prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { stepTime } from "../Journal/JournalStatements.ts"
import { type ClaimKind, suspectQueue } from "../Row/ProcessDeaths.ts"
import { shardGroup } from "../Row/Shards.ts"
import { allows, statusAfter } from "../Row/StatusConditions.ts"

/** A claimed task: the facts for the loop, and the state with which its actor begins. */
export type ClaimRow = Omit<AgentTask, "limits"> & {
  readonly epoch: number
  readonly seq: number
  readonly now: number
  readonly status: TaskStatus
  readonly progress: number
  readonly attempts: number
  readonly deaths: number
  readonly loneDeaths: number
  readonly claimKind: ClaimKind | null
  readonly inboxSent: number
  readonly context: string | null
  readonly attachments: ReadonlyArray<string>
  readonly maxIterations: number | null
  /** How long the task still counts as watched. */
  readonly watchedMillis: number
  readonly audience: Audience
}

/** The value of each column of a claim; the table's constraints guard them, so that nothing decodes the row. */
const values: Readonly<Record<keyof ClaimRow, string>> = {
  taskId: "c.task_id::text",
  epoch: "c.epoch",
  seq: "c.seq",
  status: "c.status",
  progress: "c.progress",
  attempts: "c.attempts",
  creator: "c.creator",
  inboxSent: "c.inbox_sent",
  deaths: "c.process_deaths",
  loneDeaths: "c.lone_deaths",
  claimKind: "c.claim_kind",
  type: "t.task_type",
  agentType: "t.agent_type",
  toolAccess: "t.tool_access",
  input: "t.description",
  context: "t.context",
  projectId: "t.project_id",
  attachments: "t.attachments",
  tokenBudget: "t.token_budget",
  maxIterations: "t.max_iterations",
  now: "floor(extract(epoch from clock_timestamp()) * 1000)::float8",
  watchedMillis: "coalesce(extract(epoch from c.watched_until - now()) * 1000, 0)::float8",
  audience: audienceOf("t")
}

const claimColumns = Object.entries(values).map(([name, value]) => `${value} as "${name}"`).join(", ")

/** Maximum rows that one scan reads besides the queued ones; those beyond the free slots are queued. */
const scanLimit = "greatest($4::integer, 500)"

const isAlive = (address: string, seconds = "$2"): string =>
  `(select r.last_heartbeat from cluster_runners r where r.address = ${address})
        > localtimestamp - make_interval(secs => ${seconds})`

/** The runner's lock of the shard holds in the database: its last heartbeat is not older than these seconds. */
export const holdsShard = (address: string, seconds: string, shard: string): string =>
  `(select l.address from cluster_locks l where l.shard_id = '${shardGroup}:' || ${shard}) = ${address}
      and ${isAlive(address, seconds)}`

/** Of a shard that this runner owns, with a lock that holds in the database, and not active here. */
const isOurs = `substring($3::bit varying from a.shard for 1) = B'1' and a.task_id <> all($7::uuid[])
      and ${holdsShard("$1", "$2", "a.shard")}`

const isQueuedHere = `a.queued_by = $1 and a.wake_at <= now()`

const queuedByOthers = (side: "<" | ">"): string =>
  `select a.task_id, a.creator, a.wake_at from actors a
    where $9::float8 is null and a.queued_by ${side} $1 and a.queued_by > '${suspectQueue}' and a.wake_at <= now()
      and ${isOurs}`

const activeOf = (creator: string): string => `coalesce((select b.n from busy b where b.creator = ${creator}), 0)`

/** 1 for a user below the share with a queued task that this runner may claim, else 0. */
const hasCandidate = `(
      ${activeOf("next.creator")} < $5::integer
      and (select true from actors a where ${isQueuedHere} and a.creator = next.creator and ${isOurs} limit 1)
        is not null
    )::integer`

const recoversAny = `(select true from chosen d
            cross join lateral (select h.runner from actors h where h.task_id = d.task_id limit 1) h
            where h.runner is not null limit 1)`

/**
 * The holder of a held row has ended, unless its heartbeat is fresh. With this runner's own address, it was an earlier
 * process if older than this one ($12), else this one could not release the task, as in an outage.
 */
const claimKind = `case
        when a.runner is null then case
          when a.status = ${statusAfter("Retried")} and a.seq > 0 then 'retried'
          when a.queued_by = '${suspectQueue}' and $11::boolean and ${recoversAny} is null then 'alone' end
        when a.runner = $1 and a.updated_at >= $12::timestamptz then 'moved'
        when a.runner <> $1 and ${isAlive("a.runner")} then 'moved'
        else 'recovered' end`

const deaths = `(claim_kind, process_deaths, lone_deaths, queued_by) = (
      select k.kind, a.process_deaths + k.died,
        a.lone_deaths + case when a.claim_kind = 'alone' and a.process_deaths > 1 then k.died else 0 end,
        case when a.process_deaths + k.died > 1 then '${suspectQueue}' else a.queued_by end
      from (select c.kind, (c.kind is not distinct from 'recovered')::integer as died
        from (select ${claimKind} as kind) c) k
    )`

/** A claim is the first one, or the first after a retry, if the task was pending before. */
const published = publishEvents({
  event: `'${eventOfChange("pending", "running")}'`,
  ...eventFacts("c"),
  at: "c.updated_at",
  ...withTask("claimed c", "c", "(c.seq = 1 or c.claim_kind = 'retried')")
})

// The plan is made once, whatever the tables hold then: each condition fits only one index, and scalar subqueries,
// `coalesce` and lateral `limit`s keep it from hashing or scanning a table.
/**
 * Reads what is due for this runner, not what waits. `newly_due`: due since the last scan, and not claimed
 * here by its insert a moment ago, which the caller may not know of yet. `orphaned`, in a full scan
 * ($9 null): queued to a former owner of the shard. `round_robin` visits users in this runner's queue after $6 until $4
 * of them have a candidate. `suspected` ($10): the oldest suspect of a user below the share ($5), first. $11: no other
 * task here counts a death.
 */
export const take: Prepared = {
  name: "claims_take",
  text: `
with recursive busy as materialized (
  select creator, count(*) as n from unnest($8::text[]) as b(creator) group by creator
), newly_due as materialized (
  select a.task_id, a.creator, a.wake_at from actors a
  where a.queued_by is null and a.wake_at <= now()
    and a.wake_at > coalesce(now() - make_interval(secs => $9::float8), '-infinity') and ${isOurs}
    and not (a.seq = 1 and a.claim_kind is not distinct from 'inserted' and a.runner is not distinct from $1
      and a.updated_at >= $12::timestamptz and a.updated_at > now() - interval '5 seconds')
  order by a.wake_at limit ${scanLimit}
), orphaned as materialized (
  (${queuedByOthers("<")}) union all (${queuedByOthers(">")}) limit ${scanLimit}
), round_robin(creator, wrapped, n) as (
  select $6::text, false, 0
  union all
  select next.creator, next.wrapped, r.n + ${hasCandidate}
  from round_robin r cross join lateral (
    (select a.creator, r.wrapped from actors a
      where ${isQueuedHere} and a.creator > r.creator and (not r.wrapped or a.creator <= $6::text)
      order by a.creator limit 1)
    union all
    (select a.creator, true from actors a
      where not r.wrapped and ${isQueuedHere} and a.creator <= $6::text
      order by a.creator limit 1)
    limit 1
  ) next
  where r.n < $4::integer
), suspected as materialized (
  select a.task_id, a.creator, a.wake_at from actors a
  where $10::boolean and a.queued_by = '${suspectQueue}' and a.wake_at <= now() and ${
    activeOf("a.creator")
  } < $5::integer
    and ${isOurs}
  order by a.wake_at limit 1
), scanned as (
  select * from newly_due union all select * from orphaned
), candidates as (
  select task_id, creator, wake_at, false as is_suspect from scanned
  union all
  select task_id, creator, wake_at, true from suspected
  union all
  select q.*, false from round_robin r cross join lateral (
    select a.task_id, a.creator, a.wake_at from actors a
    where ${isQueuedHere} and a.creator = r.creator and ${isOurs}
    order by a.wake_at
    limit greatest(0, least($4::integer, $5::integer - ${activeOf("r.creator")}))
  ) q
  where r.n > 0
), chosen as (
  select c.task_id, c.creator, c.rank from (
    select task_id, creator, row_number() over (partition by creator order by is_suspect desc, wake_at) as rank
    from candidates
  ) c
  where c.rank <= $5::integer - ${activeOf("c.creator")}
  order by c.rank, c.creator <= $6::text, c.creator
  limit $4::integer
), queued as (
  update actors a set queued_by = $1
  where a.task_id = any(array(select task_id from scanned where task_id <> all(array(select task_id from chosen))))
    and coalesce(a.wake_at, 'infinity') <= now()
), claimed as (
  update actors a set
    epoch = a.epoch + 1, seq = a.seq + 1, attempts = a.attempts + (a.runner is null)::integer,
    updated_at = ${stepTime}, ${deaths},
    status = ${statusAfter("Claimed")}, last_tool_call_id = null,
    started_at = coalesce(a.started_at, ${stepTime}),
    runner = $1, job_seq = a.seq + 1
  where a.task_id = any(array(select task_id from chosen)) and coalesce(a.wake_at, 'infinity') <= now()
    and ${allows("Claimed", "a.status")}
  returning a.*
), logged as (
  insert into steps (task_id, seq, at, body)
  select c.task_id, c.seq, c.updated_at, format('{"kind":"woken","epoch":%s,"reason":"%s","runner":%s%s}', c.epoch,
    case when c.seq = 1 then 'first' when c.attempts > 1 or c.process_deaths > 0 then 'recovery'
      when c.claim_kind = 'retried' then 'retry' else 'resume' end,
    to_json(c.runner), case when c.claim_kind = 'recovered' then format(',"deaths":%s', c.process_deaths) end)
  from claimed c
), events as (
  ${published}
)
select m.has_more, ${claimColumns},
  extract(epoch from now() - c.wake_at)::float8 as waited, ${outboxSignal("events")} as published
from (select greatest((select count(*) from newly_due), (select count(*) from orphaned)) >= ${scanLimit} as has_more) m
left join (claimed c
  cross join lateral (select * from tasks where id = c.task_id limit 1) t
  join chosen on chosen.task_id = c.task_id) on true
order by chosen.rank, chosen.creator <= $6::text, chosen.creator`
}

/** The database's time at the precision of `actors.updated_at`, rounded down. */
export const clock: Prepared = {
  name: "claims_clock",
  text: "select date_trunc('milliseconds', now())::text as now"
}

export const release: Prepared = {
  name: "claims_release",
  text: `
with released as (
  update actors a set attempts = greatest(0, a.attempts - 1), runner = null
  from unnest($1::uuid[], $2::integer[]) as h(task_id, epoch)
  where a.task_id = h.task_id and a.epoch = h.epoch and a.wake_at is not null
  returning a.shard
)
select pg_notify('troupe_wake', $3::text || ' ' || string_agg(distinct shard::text, ' '))
from released where $3::text is not null having count(*) > 0`
}

export const stale: Prepared = {
  name: "claims_stale",
  text: `
select h.task_id::text from unnest($1::uuid[], $2::integer[]) as h(task_id, epoch)
left join actors a on a.task_id = h.task_id
where a.epoch is distinct from h.epoch`
}
