import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { suspectQueue } from "../Row/ProcessDeaths.ts"
import { shardGroup } from "../Row/Shards.ts"
import type { Candidate } from "./Choice.ts"

const isAlive = (address: string): string =>
  `(select r.last_heartbeat from cluster_runners r where r.address = ${address})
        > localtimestamp - make_interval(secs => $lockExpiration)`

/** The runner has sent no heartbeat for as long as locks last without one. */
export const runnerEnded = (runner: string): string => `not coalesce(${isAlive(runner)}, false)`

/** `$runner` holds the lock of the shard in the database: its last heartbeat is not older than `$lockExpiration`. */
export const holdsShard = (shard: string): string =>
  `(select l.address from cluster_locks l where l.shard_id = '${shardGroup}:' || ${shard}) = $runner
      and ${isAlive("$runner")}`

/** Of a shard that this runner owns, with a lock that holds in the database, and not active here. */
const isOurs = `substring($shards::bit varying from a.shard for 1) = B'1' and a.task_id <> all($active::uuid[])
      and ${holdsShard("a.shard")}`

const columns = "a.task_id, a.creator, a.wake_at, a.epoch, a.runner"

const isQueuedHere = "a.queued_by = $runner and a.wake_at <= now()"

const queuedByOthers = (side: "<" | ">"): string =>
  `select ${columns} from actors a
    where $since::float8 is null and a.queued_by ${side} $runner and a.queued_by > '${suspectQueue}' and a.wake_at <= now()
      and ${isOurs}`

/** How many more tasks of the user this runner may have. */
const placesOf = (creator: string): string =>
  `($perUser::integer - coalesce((select b.n from busy b where b.creator = ${creator}), 0))`

/** 1 for a user with a place and a queued task that this runner may claim, else 0. */
const hasCandidate = `(
      ${placesOf("next.creator")} > 0
      and (select true from actors a where ${isQueuedHere} and a.creator = next.creator and ${isOurs} limit 1)
        is not null
    )::integer`

/** The value of each field of a candidate; our own statements wrote the rows, so that nothing decodes them. */
const values: Readonly<Record<keyof Candidate, string>> = {
  taskId: "task_id::text",
  creator: "creator",
  epoch: "epoch",
  isHeld: "runner is not null",
  source: "source"
}

const candidateColumns = Object.entries(values).map(([name, value]) => `${value} as "${name}"`).join(", ")

// The plan is made once, whatever the tables hold then: see migrations/README.md.
/**
 * Reads what is due for this runner, not what waits, and changes nothing. `due`: due since the last scan, and not claimed
 * here by its insert a moment ago, which the caller may not know of yet. `orphaned`, in a full scan (without `$since`):
 * queued to a former owner of the shard. `queued` are tasks of this runner's queue: `round_robin` visits its users after
 * `$after` until `$free` of them have a candidate. `suspect`, if `$takesSuspect`: the oldest suspect of a user with a place.
 * The rows are in the order of the users' turns, and those of a user in the order of their claims.
 */
export const findCandidates = prepared(
  "claims_candidates",
  [
    "runner",
    "lockExpiration",
    "shards",
    "active",
    "users",
    "perUser",
    "free",
    "limit",
    "after",
    "since",
    "takesSuspect",
    "started"
  ],
  `
with recursive busy as materialized (
  select creator, count(*) as n from unnest($users::text[]) as b(creator) group by creator
), due as materialized (
  select ${columns} from actors a
  where a.queued_by is null and a.wake_at <= now()
    and a.wake_at > coalesce(now() - make_interval(secs => $since::float8), '-infinity') and ${isOurs}
    and not (a.seq = 1 and a.claim_kind is not distinct from 'inserted' and a.runner is not distinct from $runner
      and a.updated_at >= $started::timestamptz and a.updated_at > now() - interval '5 seconds')
  order by a.wake_at limit $limit::integer
), orphaned as materialized (
  (${queuedByOthers("<")}) union all (${queuedByOthers(">")}) limit $limit::integer
), round_robin(creator, wrapped, n) as (
  select $after::text, false, 0
  union all
  select next.creator, next.wrapped, r.n + ${hasCandidate}
  from round_robin r cross join lateral (
    (select a.creator, r.wrapped from actors a
      where ${isQueuedHere} and a.creator > r.creator and (not r.wrapped or a.creator <= $after::text)
      order by a.creator limit 1)
    union all
    (select a.creator, true from actors a
      where not r.wrapped and ${isQueuedHere} and a.creator <= $after::text
      order by a.creator limit 1)
    limit 1
  ) next
  where r.n < $free::integer
), suspects as materialized (
  select ${columns} from actors a
  where $takesSuspect::boolean and a.queued_by = '${suspectQueue}' and a.wake_at <= now()
    and ${placesOf("a.creator")} > 0 and ${isOurs}
  order by a.wake_at limit 1
), candidates as (
  select *, 'due' as source from due
  union all
  select *, 'orphaned' from orphaned
  union all
  select *, 'suspect' from suspects
  union all
  select q.*, 'queued' from round_robin r cross join lateral (
    select ${columns} from actors a
    where ${isQueuedHere} and a.creator = r.creator and ${isOurs}
    order by a.wake_at
    limit greatest(0, least($free::integer, ${placesOf("r.creator")}))
  ) q
  where r.n > 0
)
select ${candidateColumns} from candidates
order by creator <= $after::text, creator, source = 'suspect' desc, wake_at`
)
