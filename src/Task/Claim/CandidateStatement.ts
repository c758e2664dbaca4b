import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { maxSharedDeaths, suspectQueue } from "../Row/ProcessDeaths.ts"
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

/** Another runner ends a step of it, without the shard. */
const isLeased = "coalesce(a.leased_until > now() and a.runner <> $runner, false)"

/** What each part of the statement reads of a row of actors. */
const read = {
  task_id: "a.task_id",
  creator: "a.creator",
  wake_at: "a.wake_at",
  epoch: "a.epoch",
  runner: "a.runner",
  is_leased: isLeased
}

const columns = Object.entries(read).map(([name, value]) => `${value} as ${name}`).join(", ")

const names = Object.keys(read).join(", ")

/** As many as the columns, with no more than the creator. */
const onlyCreator = Object.keys(read).map((name) => name === "creator" ? "o.creator" : "null").join(", ")

const isQueuedHere = "a.queued_by = $runner and a.wake_at <= now()"

/** The condition of the index of due tasks by user, and of no other one. */
const isUnqueued = "coalesce(a.queued_by, '-') = '-' and a.wake_at is not null"

/** Ours, and not claimed here by its insert a moment ago, which the caller may not know of yet. */
const isUnclaimed = `${isOurs}
    and not (a.seq = 1 and a.claim_kind is not distinct from 'inserted' and a.runner is not distinct from $runner
      and a.updated_at >= $started::timestamptz and a.updated_at > now() - interval '5 seconds')`

/** How many more tasks of the user this runner may have. */
const placesOf = (creator: string): string =>
  `($perUser::integer - coalesce((select b.n from busy b where b.creator = ${creator}), 0))`

/**
 * Visits the users of a queue in turn after `$after`, until `$asked` of them have a place and a task that this runner may
 * claim. A user costs two look-ups, however many tasks wait or sleep.
 */
const visits = (name: string, queue: string, isClaimable: string, most: string) => `
${name}(creator, wrapped, n, visits) as (
  select $after::text, false, 0, 0
  union all
  select next.creator, next.wrapped, r.n + (
      ${placesOf("next.creator")} > 0
      and (select true from actors a where ${queue} and a.wake_at <= now() and a.creator = next.creator and not ${isLeased}
        and ${isClaimable} limit 1) is not null
    )::integer, r.visits + 1
  from ${name} r cross join lateral (
    (select a.creator, r.wrapped from actors a
      where ${queue} and a.creator > r.creator and (not r.wrapped or a.creator <= $after::text)
      order by a.creator limit 1)
    union all
    (select a.creator, true from actors a
      where not r.wrapped and ${queue} and a.creator <= $after::text
      order by a.creator limit 1)
    limit 1
  ) next
  where r.n < $asked::integer and r.visits < ${most}
)`

const ofVisited = (name: string, source: string, queue: string, isClaimable: string) => `
  select q.*, '${source}' from ${name} r cross join lateral (
    select ${columns} from actors a
    where ${queue} and a.wake_at <= now() and a.creator = r.creator and not ${isLeased} and ${isClaimable}
    order by a.wake_at
    limit greatest(0, least($asked::integer, ${placesOf("r.creator")}))
  ) q
  where r.n > 0`

/** The value of each field of a candidate, by the names in `read`; our own statements wrote the rows, so that nothing decodes them. */
const values: Readonly<Record<keyof Candidate, string>> = {
  taskId: "task_id::text",
  creator: "creator",
  epoch: "epoch",
  isHeld: "runner is not null",
  isLeased: "is_leased",
  source: "source"
}

const candidateColumns = Object.entries(values).map(([name, value]) => `${value} as "${name}"`).join(", ")

// The plan is made once, whatever the tables hold then: see migrations/README.md.
/**
 * Reads what is due for this runner, not what waits, and changes nothing. `due`: due since the last scan. `orphaned`, in a
 * full scan (without `$since`): queued to another runner that has ended, with `$allQueues` also to one that lives, whose
 * shard this runner has now. `queued`: of this runner's queue, users in turn. While more is due than a scan reads, `waiting`
 * replaces `due`: not queued, users in turn, at most `$visits` of them. `new`: of the `$newest` that came due last, those of
 * users for whom nothing else is due here; they are first. `suspect`: of the `$suspects` oldest suspects of users with a
 * place those before one that must run without others; if that is the oldest, it alone, with `$isFirstSuspect`. Then the rows are in the order of the users' turns, and those of a user in the order of their claims. A row without
 * a task names the last visited user, where others are left to visit.
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
    "asked",
    "limit",
    "after",
    "since",
    "suspects",
    "isFirstSuspect",
    "started",
    "visits",
    "newest",
    "allQueues"
  ],
  `
with recursive busy as materialized (
  select creator, count(*) as n from unnest($users::text[]) as b(creator) group by creator
), newest as materialized (
  select ${columns}, ${isUnclaimed} as is_unclaimed from (
    select * from actors a where a.queued_by is null and a.wake_at <= now() order by a.wake_at desc limit $newest::integer
  ) a
), new as materialized (
  select ${names} from newest n
  where n.is_unclaimed and not n.is_leased
    and (select true from actors a where ${isUnqueued} and a.creator = n.creator and a.wake_at < n.wake_at limit 1) is null
    and (select true from actors a where ${isQueuedHere} and a.creator = n.creator limit 1) is null
), due as materialized (
  select ${columns} from actors a
  where $visits::integer = 0 and a.queued_by is null and a.wake_at <= now()
    and a.wake_at > coalesce(now() - make_interval(secs => $since::float8), '-infinity') and ${isUnclaimed}
    and a.task_id <> all(array(select task_id from new))
  order by a.wake_at limit $limit::integer
), queues(address) as (
  (select a.queued_by from actors a where $since::float8 is null and a.queued_by > '${suspectQueue}' and a.wake_at is not null
    order by a.queued_by limit 1)
  union all
  select next.queued_by from queues q cross join lateral (
    select a.queued_by from actors a where a.queued_by > q.address and a.wake_at is not null order by a.queued_by limit 1
  ) next
), orphaned as materialized (
  select o.* from queues q cross join lateral (
    select ${columns} from actors a where a.queued_by = q.address and a.wake_at <= now() and ${isOurs} limit $limit::integer
  ) o
  where q.address <> $runner and ($allQueues::boolean or ${runnerEnded("q.address")})
  limit $limit::integer
), ${visits("of_queue", "a.queued_by = $runner and a.wake_at is not null", isOurs, "2147483647")}, ${
    visits("in_turn", isUnqueued, isUnclaimed, "$visits::integer")
  }, suspects as materialized (
  select ${names} from (
    select s.*, row_number() over w as place, bool_and(s.process_deaths <= ${maxSharedDeaths}) over w as may_share from (
      select ${columns}, a.process_deaths from actors a
      where $suspects::integer > 0 and a.queued_by = '${suspectQueue}' and a.wake_at <= now()
        and ${placesOf("a.creator")} > 0 and not ${isLeased} and ${isOurs}
      order by a.wake_at limit $suspects::integer
    ) s window w as (order by s.wake_at rows unbounded preceding)
  ) s
  where may_share or (place = 1 and $isFirstSuspect::boolean)
), candidates as (
  select *, 'due' as source from due
  union all
  select *, 'new' from new
  union all
  select *, 'orphaned' from orphaned
  union all
  select *, 'suspect' from suspects
  union all
  ${ofVisited("of_queue", "queued", "a.queued_by = $runner", isOurs)}
  union all
  ${
    ofVisited(
      "in_turn",
      "waiting",
      isUnqueued,
      `${isUnclaimed}
      and a.task_id <> all(array(select task_id from new))`
    )
  }
  union all
  (select ${onlyCreator}, 'visited' from in_turn o where o.visits >= $visits::integer and $visits::integer > 0
    and o.n < $asked::integer)
)
select ${candidateColumns} from candidates
order by source <> 'new', creator <= $after::text, creator, source = 'suspect' desc, wake_at`
)
