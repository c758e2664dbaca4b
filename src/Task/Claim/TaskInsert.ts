import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import { eventOfChange } from "@troupe/domain/Subscription"
import { Duration, Effect, type Scope } from "effect"
import { type Audience, audienceOfNew } from "../../Delivery/Audience.ts"
import { outboxSignal, publishEvents } from "../../Delivery/Outbox.ts"
import * as GroupCommit from "../../Runtime/Database/GroupCommit.ts"
import { mayShareStatement } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { isRefusal } from "../../Runtime/Database/Sql.ts"
import { insertedColumns, type NewTask, newTaskTypes } from "../Row/NewTask.ts"
import { isOfGuest } from "../Row/RuleColumns.ts"
import { Shards } from "../Row/Shards.ts"
import { statusAfter } from "../Row/StatusConditions.ts"
import { claimed } from "../Row/TaskMetrics.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { holdsShard } from "./CandidateStatement.ts"
import type { Claim } from "./Claims.ts"
import { ifExpired } from "./IdempotencyKeys.ts"

/** How long a task that is sent with `live` counts as watched before somebody watches it. */
const watchedWhenLive = Duration.minutes(1)

export interface Inserted {
  /** False: its idempotency key belongs to another task. */
  readonly isInserted: boolean
  /** Null: the task is due, and waits for a scan. */
  readonly claim: Claim | null
}

/** `hasPlace`: this process has a place for the task, to claim it at once. An unreachable database is a defect. */
export type InsertTask = (task: NewTask, hasPlace: boolean) => Effect.Effect<Inserted>

interface Arrival {
  readonly task: NewTask
  readonly hasPlace: boolean
}

/** Tasks that arrive together are inserted together. */
export const makeInsert: Effect.Effect<
  InsertTask,
  never,
  PreparedStatements | Scope.Scope | ShardingConfig | Shards | TaskSignals
> = Effect.gen(function*() {
  const database = yield* PreparedStatements
  const signals = yield* TaskSignals
  const shards = yield* Shards
  const { shardLockExpiration } = yield* ShardingConfig
  const time = yield* Effect.clock

  const write = (arrivals: ReadonlyArray<Arrival>, mayClaim = arrivals.some(({ hasPlace }) => hasPlace)) =>
    Effect.suspend(() => {
      const from = time.unsafeCurrentTimeNanos()
      const tasks = JSON.stringify(arrivals.map(({ hasPlace, task }) => ({ has_place: hasPlace, ...task })))
      const { origin } = signals
      const rows = database.execute(
        mayClaim
          ? insertAndClaim({
            tasks,
            origin,
            runner: shards.address,
            lockExpiration: Duration.toSeconds(shardLockExpiration)
          })
          : insert({ tasks, origin })
      )
      return Effect.map(rows, (rows) => {
        const found = new Map(rows.map((row) => [row["id"], row]))
        const span = { from, to: time.unsafeCurrentTimeNanos() }
        const inserted = arrivals.map(({ task }): Inserted => {
          const row = found.get(task.id)
          return {
            isInserted: row !== undefined,
            claim: row?.["is_claimed"] === true ? firstClaim(task, row, span) : null
          }
        })
        const due = arrivals.filter((_, index) =>
          inserted[index]?.isInserted === true && inserted[index].claim === null
        )
        if (due.length > 0) signals.wake(due.map(({ task }) => task.shard))
        for (const { claim } of inserted) if (claim !== null) claimed("first", 0)
        return inserted
      })
    })

  const { commit } = yield* GroupCommit.make({ write, maxGroup: 100, writers: 2, isRefusal })

  // A statement for several callers can't be restricted to one of them, nor be part of one's transaction: there a task
  // begins once it is committed.
  const alone = (task: NewTask) =>
    Effect.map(write([{ task, hasPlace: false }]), ([inserted = { isInserted: false, claim: null }]) => inserted)
  return (task, hasPlace) =>
    Effect.orDie(Effect.flatMap(mayShareStatement, (may) => may ? commit({ task, hasPlace }) : alone(task)))
})

/** What the actor of a new task begins with: only the time comes from the inserted row. */
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
  agent: task.agent,
  agentRevision: task.agent_revision,
  agentText: task.agent_text,
  toolAccess: task.tool_access,
  input: task.description,
  context: task.context,
  // One that has a conversation is not claimed by its insert.
  conversation: null,
  projectId: task.project_id,
  audience: row["audience"] as Audience,
  attachments: task.attachments,
  tokenBudget: task.token_budget,
  title: task.title,
  source: task.source,
  isContinuation: task.continued_from !== null,
  scheduleId: task.schedule_id,
  isOfGuest: row["isOfGuest"] === true,
  shown: task.shown,
  maxCost: task.max_cost,
  maxIterations: task.max_iterations,
  watchedMillis: task.live ? Duration.toMillis(watchedWhenLive) : 0
})

/** The new tasks, without those whose key belongs to another task. */
const accepted = `input as (
  select * from json_to_recordset($tasks::json) as i(${newTaskTypes}, has_place boolean)
), keyed as (
  insert into idempotency_keys as k (caller, key, digest, task_id)
  select caller, key, digest, id from input where key is not null order by caller, key
  ${ifExpired}
  returning task_id
), accepted as (
  select * from input where key is null or id in (select task_id from keyed)
)`

/** All that is stored of a task besides its actor. */
const stored = `task_rows as (
  insert into tasks (task_type, ${insertedColumns}) select 'task', ${insertedColumns} from accepted
), thread_rows as (
  insert into task_threads (channel, key, task_id, addresses)
  select i.reply_channel, k.key, i.id, null from accepted i cross join unnest(i.threads) k (key)
  union
  select t.channel, t.key, i.id, t.addresses from accepted i join task_threads t on t.task_id = i.continued_from
  where i.reply_channel = t.channel or t.addresses is not null
  on conflict do nothing
)`

const actorColumns = "task_id, shard, creator, wake_at, watched_until, updated_at"
const actorValues = `id, shard, creator, now(),
    case when live then now() + ${Duration.toSeconds(watchedWhenLive)} * interval '1 second' end`

const pendingActors = (from: string): string =>
  `insert into actors (${actorColumns}) select ${actorValues}, created_at from ${from}`

const createdFacts = {
  event: "'task.created'",
  from: "accepted where true",
  task: "id",
  creator: "creator",
  assignee: "assignee",
  at: "created_at",
  seq: "null::integer",
  status: "'pending'",
  question: "null",
  error: "null"
}

const startedFacts = {
  ...createdFacts,
  event: `'${eventOfChange("pending", "running")}'`,
  from: "claimed where true",
  at: "begun_at",
  seq: "1",
  status: statusAfter("Claimed")
}

const wakeOthers = (due: string): string =>
  `case when row_number() over () = 1 and $origin::text is not null then (
    select pg_notify('troupe_wake', $origin::text || ' ' || string_agg(distinct shard::text, ' ')) from ${due} due
    having count(*) > 0) end`

/** It can run as a request, whose role may not read the locks of shards. */
const insert = prepared(
  "tasks_insert",
  ["tasks", "origin"],
  `with ${accepted}, ${stored}, actor_rows as (
  ${pendingActors("accepted")}
), events as (
  ${publishEvents(createdFacts)}
)
select id::text, ${wakeOthers("accepted")}, ${outboxSignal("events")} from accepted`
)

/** Claims the tasks with a place whose shard this runner holds; a first step is not before the creation of its task. */
const insertAndClaim = prepared(
  "tasks_insert_claimed",
  ["tasks", "origin", "runner", "lockExpiration"],
  `with ${accepted}, ${stored}, placed as (
  select a.*, a.has_place and coalesce(${holdsShard("a.shard")}, false) as is_claimed,
    greatest(now(), a.created_at) as begun_at
  from accepted a
), due as (
  select * from placed where not is_claimed
), claimed as (
  select * from placed where is_claimed
), due_rows as (
  ${pendingActors("due")}
), claimed_rows as (
  insert into actors (${actorColumns}, started_at, status, epoch, seq, attempts, job_seq, runner, claim_kind)
  select ${actorValues}, begun_at, begun_at, ${statusAfter("Claimed")}, 1, 1, 1, 1, $runner, 'inserted' from claimed
), logged as (
  insert into steps (task_id, seq, at, body)
  select id, 1, begun_at, format('{"kind":"woken","epoch":1,"reason":"first","runner":%s}', to_json($runner::text))
  from claimed
), created as (
  ${publishEvents(createdFacts)}
), started as (
  ${publishEvents(startedFacts)}
), events as (
  select from created union all select from started
)
select id::text, is_claimed, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  ${wakeOthers("due")}, ${outboxSignal("events")}, case when is_claimed then ${
    audienceOfNew("placed")
  } end as audience, case when is_claimed then ${isOfGuest("placed")} end as "isOfGuest"
from placed`
)
