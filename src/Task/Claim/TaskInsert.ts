import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import { eventOfChange } from "@troupe/domain/Subscription"
import type { ToolAccess } from "@troupe/domain/Task"
import { Duration, Effect, type Scope } from "effect"
import { type Audience, audienceOf } from "../../Delivery/Audience.ts"
import { outboxSignal, publishEvents } from "../../Delivery/Outbox.ts"
import * as GroupCommit from "../../Runtime/Database/GroupCommit.ts"
import { mayShareStatement } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { isRefusal } from "../../Runtime/Database/Sql.ts"
import { Shards } from "../Row/Shards.ts"
import { statusAfter } from "../Row/StatusConditions.ts"
import { claimed } from "../Row/TaskMetrics.ts"
import { insertedColumns, type NewTask, newTaskTypes } from "../Row/TaskRow.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { holdsShard } from "./CandidateStatement.ts"
import type { Claim } from "./Claims.ts"
import { FirstClaims, type Reservation } from "./FirstClaims.ts"
import { ifExpired } from "./IdempotencyKeys.ts"

/** How long a task that is sent with `live` counts as watched before somebody watches it. */
const watchedWhenLive = Duration.minutes(1)

/** Inserts a task; false: its idempotency key belongs to another one. An unreachable database is a defect. */
export type InsertTask = (task: NewTask) => Effect.Effect<boolean>

/**
 * Tasks that arrive together are inserted together. One for which this process has a place is claimed by the same
 * statement, and runs.
 */
export const makeInsert: Effect.Effect<
  InsertTask,
  never,
  FirstClaims | PreparedStatements | Scope.Scope | ShardingConfig | Shards | TaskSignals
> = Effect.gen(function*() {
  const database = yield* PreparedStatements
  const signals = yield* TaskSignals
  const firstClaims = yield* FirstClaims
  const shards = yield* Shards
  const { shardLockExpiration } = yield* ShardingConfig
  const time = yield* Effect.clock

  const insertOnly = (tasks: ReadonlyArray<NewTask>) =>
    Effect.map(database.execute(insert({ tasks: JSON.stringify(tasks), origin: signals.origin })), (rows) => {
      signals.wake(tasks.map((task) => task.shard))
      const inserted = new Set(rows.map((row) => row["id"]))
      return tasks.map((task) => inserted.has(task.id))
    })

  const insertAndClaim = (tasks: ReadonlyArray<NewTask>, places: ReadonlyMap<string, Reservation>) => {
    const from = time.unsafeCurrentTimeNanos()
    const begun = new Set<string>()
    const rows = database.execute(insertClaimed({
      tasks: JSON.stringify(tasks.map((task) => ({ ...task, has_place: places.has(task.id) }))),
      origin: signals.origin,
      runner: shards.address,
      lockExpiration: Duration.toSeconds(shardLockExpiration)
    }))
    return rows.pipe(
      Effect.map((rows) => {
        const inserted = new Map(rows.map((row) => [row["id"], row]))
        const due: Array<number> = []
        for (const task of tasks) {
          const row = inserted.get(task.id)
          if (row?.["is_claimed"] === true) {
            begun.add(task.id)
            claimed("first", 0)
            places.get(task.id)?.begin(firstClaim(task, row, { from, to: time.unsafeCurrentTimeNanos() }))
          } else if (row !== undefined) due.push(task.shard)
        }
        if (due.length > 0) signals.wake(due)
        return tasks.map((task) => inserted.has(task.id))
      }),
      Effect.ensuring(Effect.sync(() => {
        for (const [id, place] of places) if (!begun.has(id)) place.cancel()
      }))
    )
  }

  const write = (tasks: ReadonlyArray<NewTask>) =>
    Effect.suspend(() => {
      const places = new Map<string, Reservation>()
      for (const task of tasks) {
        const place = firstClaims.reserve(task)
        if (place !== null) places.set(task.id, place)
      }
      return places.size === 0 ? insertOnly(tasks) : insertAndClaim(tasks, places)
    })

  const { commit } = yield* GroupCommit.make({ write, maxGroup: 100, writers: 2, isRefusal })

  // A statement for several callers can't be restricted to one of them, nor be part of one's transaction: there a task
  // begins once it is committed.
  return (task) =>
    Effect.orDie(Effect.flatMap(
      mayShareStatement,
      (may) => may ? commit(task) : Effect.map(insertOnly([task]), ([isInserted]) => isInserted === true)
    ))
})

/** What the actor of a new task begins with: only the time and the tool access come from the inserted row. */
const firstClaim = (task: NewTask, row: Row, time: Claim["time"]): Claim => ({
  time,
  taskId: task.id,
  epoch: 1,
  seq: 1,
  now: row["now"] as number,
  status: "running",
  progress: 0,
  attempts: 1,
  deaths: 0,
  loneDeaths: 0,
  claimKind: null,
  inboxSent: 0,
  creator: task.creator,
  type: "task",
  agentType: null,
  toolAccess: row["tool_access"] as ToolAccess,
  input: task.description,
  context: task.context,
  projectId: task.project_id,
  audience: row["audience"] as Audience,
  attachments: task.attachments,
  tokenBudget: task.token_budget,
  maxIterations: null,
  watchedMillis: task.live ? Duration.toMillis(watchedWhenLive) : 0
})

/** Whether the user is a guest of the chat platform, and no member of the team. */
export const isGuest = (user: string): string =>
  `exists (select from users u where u.id = ${user} and u.is_guest
    and not 'email' = any(u.overrides) and not exists (select from team_members m where m.user_id = u.id))`

/**
 * What a guest of the chat platform writes has the tools of an unknown sender; the operator's own requests have all, as
 * have those of callers, who are members.
 */
const isGuests = `i.source is not null and caller_id() is null and ${isGuest("i.creator")}`

/** A claimed task's first step is not before its creation, which has this process's time. */
const begunAt = "greatest(now(), created_at)"

const createdFacts = {
  task: "id",
  creator: "creator",
  at: "created_at",
  seq: "null::integer",
  status: "'pending'",
  question: "null",
  error: "null"
}

const startedFacts = {
  event: `'${eventOfChange("pending", "running")}'`,
  at: begunAt,
  seq: "1",
  status: statusAfter("Claimed")
}

/** Without claims it can run as a request, whose role may not read the locks of shards. */
const inserting = (claims: boolean): string => `
with input as (
  select * from json_to_recordset($tasks::json) as i(${newTaskTypes}${claims ? ", has_place boolean" : ""})
), keyed as (
  insert into idempotency_keys as k (caller, key, digest, task_id)
  select caller, key, digest, id from input where key is not null order by caller, key
  ${ifExpired}
  returning task_id
), accepted as (
  select i.*, case when i.tool_access = 'all' and ${isGuests} then 'own' else i.tool_access end as access,
    ${claims ? `i.has_place and coalesce(${holdsShard("i.shard")}, false)` : "false"} as is_claimed
  from input i where i.key is null or i.id in (select task_id from keyed)
), task_rows as (
  insert into tasks (task_type, tool_access, ${insertedColumns})
  select 'task', i.access, ${insertedColumns}
  from accepted i
), thread_rows as (
  insert into task_threads (channel, key, task_id, addresses)
  select i.reply_channel, k.key, i.id, null from accepted i cross join unnest(i.threads) k (key)
  union
  select t.channel, t.key, i.id, t.addresses from accepted i join task_threads t on t.task_id = i.continued_from
  where i.reply_channel = t.channel or t.addresses is not null
  on conflict do nothing
), actor_rows as (
  insert into actors (task_id, shard, creator, updated_at, wake_at, watched_until${
  claims ?
    `,
    status, epoch, seq, attempts, job_seq, started_at, runner, claim_kind` :
    ""
})
  select id, shard, creator, ${claims ? begunAt : "created_at"}, now(),
    case when live then now() + ${Duration.toSeconds(watchedWhenLive)} * interval '1 second' end${
  claims ?
    `,
    case when is_claimed then ${statusAfter("Claimed")} else 'pending' end, is_claimed::integer, is_claimed::integer,
    is_claimed::integer, case when is_claimed then 1 end, case when is_claimed then ${begunAt} end,
    case when is_claimed then $runner::text end, case when is_claimed then 'inserted' end` :
    ""
}
  from accepted
)${
  claims ?
    `, logged as (
  insert into steps (task_id, seq, at, body)
  select id, 1, ${begunAt}, format('{"kind":"woken","epoch":1,"reason":"first","runner":%s}', to_json($runner::text))
  from accepted where is_claimed
)` :
    ""
}
, created as (
  ${publishEvents({ ...createdFacts, event: "'task.created'", from: "accepted where true" })}
)${
  claims ?
    `, started as (
  ${publishEvents({ ...createdFacts, ...startedFacts, from: "accepted where is_claimed" })}
)` :
    ""
}, events as (
  select from created${claims ? " union all select from started" : ""}
)
select id::text, access as tool_access, is_claimed, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  case when row_number() over () = 1 and $origin::text is not null
    and exists (select from accepted where not is_claimed) then
    pg_notify('troupe_wake', $origin::text || ' ' || (
      select string_agg(distinct shard::text, ' ') from accepted where not is_claimed)) end,
  ${outboxSignal("events")}${
  claims ? `, case when is_claimed then ${audienceOf("accepted", "false")} end as audience` : ""
}
from accepted`

const insert = prepared("tasks_insert", ["tasks", "origin"], inserting(false))

const insertClaimed = prepared(
  "tasks_insert_claimed",
  ["tasks", "origin", "runner", "lockExpiration"],
  inserting(true)
)
