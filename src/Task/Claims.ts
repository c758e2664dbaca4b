import type { SqlError } from "@effect/sql/SqlError"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { AgentType, TaskStatus, TaskType } from "@troupe/domain/Task"
import { Context, Effect, Layer, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { shardGroup, shardMarks, Shards } from "./Shards.ts"
import { claimed } from "./TaskMetrics.ts"
import { TaskSignals } from "./TaskSignals.ts"

/** A due task, taken by this runner: its actor's row after the claim, and what was asked for. */
export class Claim extends Schema.Class<Claim>("troupe/Task/Claims/Claim")({
  taskId: TaskId,
  epoch: Schema.Int,
  seq: Schema.Int,
  /** The database's clock at the claim, in epoch milliseconds. */
  now: Schema.Int,
  status: TaskStatus,
  progress: Schema.Int,
  attempts: Schema.Int,
  inboxSent: Schema.Int,
  creator: UserId,
  type: TaskType,
  agentType: Schema.NullOr(AgentType),
  input: Schema.String,
  /** What the agent is told of the task that this one continues. */
  context: Schema.NullOr(Schema.String),
  projectId: Schema.NullOr(Schema.String),
  attachments: Schema.Array(Schema.String),
  tokenBudget: Schema.NullOr(Schema.Int),
  maxIterations: Schema.NullOr(Schema.Int)
}) {
  /** Nothing but this claim stands in the journal yet. */
  get isFresh(): boolean {
    return this.seq === 1
  }
}

/**
 * Takes due tasks for this runner: those whose `wake_at` has passed, of shards whose lock this runner holds in the
 * database (so a frozen runner that comes back can't steal), oldest first within a user and one user after the other.
 * Each claim raises the epoch and appends the `woken` step in the same statement.
 */
export class Claims extends Context.Tag("troupe/Task/Claims")<Claims, {
  /**
   * At most `free` tasks, at most `perUser` of one user counting those active. `after` is the user to begin behind;
   * `active` are the tasks (and their users) that already have an actor here. `since` leaves out what has been due for
   * longer than so many seconds, for a caller who knows that none of it is for this runner.
   */
  readonly take: (wanted: {
    readonly free: number
    readonly perUser: number
    readonly after: string
    readonly active: ReadonlyMap<TaskId, string>
    readonly since?: number
  }) => Effect.Effect<ReadonlyArray<Claim>, SqlError>
  /** Hands tasks back that were not crashed but let go, so that it does not count as an attempt. */
  readonly release: (claims: ReadonlyArray<{ readonly taskId: TaskId; readonly epoch: number }>) => Effect.Effect<void>
  /** Which of these actors no longer hold their task: its epoch was raised, or it is gone. */
  readonly stale: (
    held: ReadonlyArray<{ readonly taskId: TaskId; readonly epoch: number }>
  ) => Effect.Effect<ReadonlyArray<TaskId>, SqlError>
}>() {
  static readonly layer = (options: {
    readonly lockExpirationSeconds: number
  }): Layer.Layer<Claims, never, PreparedStatements | Shards | TaskSignals> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const database = yield* PreparedStatements
        const shards = yield* Shards
        const { origin } = yield* TaskSignals
        return Claims.of({
          take: ({ active, after, free, perUser, since = null }) =>
            database.execute(take, [
              shards.address,
              options.lockExpirationSeconds,
              shardMarks(shards.owned()),
              free,
              perUser,
              after,
              [...active.keys()],
              [...active.values()],
              since
            ]).pipe(Effect.map((rows) => rows.map(taken))),
          release: (claims) =>
            claims.length === 0 ? Effect.void : database.execute(release, [
              claims.map((claim) => claim.taskId),
              claims.map((claim) => claim.epoch),
              origin
            ]).pipe(Effect.ignore),
          stale: (held) =>
            held.length === 0 ? Effect.succeed([]) : database.execute(stale, [
              held.map((claim) => claim.taskId),
              held.map((claim) => claim.epoch)
            ]).pipe(Effect.map((rows) => rows.map((row) => row["task_id"] as TaskId)))
        })
      })
    )
}

// The row comes from our own statement, whose columns the table's constraints guard.
const fromRow = (row: Readonly<Record<string, unknown>>): Claim =>
  new Claim({
    taskId: row["task_id"] as TaskId,
    epoch: row["epoch"] as number,
    seq: row["seq"] as number,
    now: row["now"] as number,
    status: row["status"] as TaskStatus,
    progress: row["progress"] as number,
    attempts: row["attempts"] as number,
    inboxSent: row["inbox_sent"] as number,
    creator: row["creator"] as UserId,
    type: row["task_type"] as TaskType,
    agentType: row["agent_type"] as AgentType | null,
    input: row["description"] as string,
    context: row["context"] as string | null,
    projectId: row["project_id"] as string | null,
    attachments: row["attachments"] as ReadonlyArray<string>,
    tokenBudget: row["token_budget"] as number | null,
    maxIterations: row["max_iterations"] as number | null
  }, { disableValidation: true })

const taken = (row: Readonly<Record<string, unknown>>): Claim => {
  const claim = fromRow(row)
  claimed(claim.isFresh ? "first" : claim.attempts > 1 ? "recovery" : "resume", row["waited"] as number)
  return claim
}

const due = (wakeAt: string): string =>
  `${wakeAt} <= now() and ${wakeAt} > coalesce(now() - make_interval(secs => $9::float8), '-infinity')`

/** Due, of a shard that this runner thinks its own and whose lock the database says it holds, and without an actor. */
const dueHere = `${due("a.wake_at")} and substr($3::text, a.shard, 1) = '1' and a.task_id <> all($7::uuid[])
      and (select l.acquired_at from cluster_locks l where l.shard_id = '${shardGroup}:' || a.shard and l.address = $1)
        > localtimestamp - make_interval(secs => $2)`

/** 1 for a user with something due that this runner may take, else 0. */
const offers = `(
      coalesce((select b.n from busy b where b.creator = next.creator), 0) < $5::integer
      and (select true from actors a where a.creator = next.creator and ${dueHere} limit 1) is not null
    )::integer`

// The plan of a prepared statement is made once, whatever the tables hold then. So that it stays right, conditions are
// written such that only one index fits each, and that no table can be walked through to look each row up among the
// few claimed ones: a scalar subquery is never hashed over all due rows, as an `exists` may be, `coalesce` keeps the
// index of due rows out of the update, which goes by the primary key, and so does the lateral `limit`.
/**
 * `turns` walks over the users that have something due, beginning behind $6 and around once, by skipping from one to
 * the next in the index `actors_due` (PostgreSQL 18 skips users who only sleep at a look each; older ones read their
 * entries), until it has met $4 of them from whom this runner may take something (`n` counts these). Each then offers
 * its oldest due tasks.
 */
const take: Prepared = {
  name: "claims_take",
  text: `
with recursive busy as materialized (
  select creator, count(*) as n from unnest($8::text[]) as b(creator) group by creator
), turns(creator, wrapped, n) as (
  select $6::text, false, 0
  union all
  select next.creator, next.wrapped, t.n + ${offers}
  from turns t cross join lateral (
    (select creator, t.wrapped from actors
      where ${due("wake_at")} and creator > t.creator and (not t.wrapped or creator <= $6::text)
      order by creator limit 1)
    union all
    (select creator, true from actors
      where not t.wrapped and ${due("wake_at")} and creator <= $6::text
      order by creator limit 1)
    limit 1
  ) next
  where t.n < $4::integer
), due as (
  select d.task_id, d.place, t.n
  from turns t
  left join busy b on b.creator = t.creator
  cross join lateral (
    select a.task_id, a.wake_at, row_number() over (order by a.wake_at) as place
    from actors a
    where a.creator = t.creator and ${dueHere}
    order by a.wake_at
    limit greatest(0, least($4::integer, $5::integer - coalesce(b.n, 0)))
  ) d
  where t.n > 0
  order by d.place, t.n
  limit $4::integer
), claimed as (
  update actors a set
    epoch = a.epoch + 1, seq = a.seq + 1, attempts = a.attempts + 1, updated_at = now(),
    status = case when a.status in ('pending', 'waiting_subagents') then 'running' else a.status end,
    last_tool_call_id = case when a.status <> 'waiting_subagents' then a.last_tool_call_id end,
    started_at = coalesce(a.started_at, now()),
    runner = $1, job_seq = a.seq + 1
  where a.task_id = any(array(select task_id from due)) and coalesce(a.wake_at, 'infinity') <= now()
  returning a.*
), woken as (
  insert into steps (task_id, seq, body)
  select c.task_id, c.seq, format('{"kind":"woken","epoch":%s,"reason":"%s","runner":%s}', c.epoch,
    case when c.seq = 1 then 'first' when c.attempts > 1 then 'recovery'
      else coalesce((select case when p.body like '{"kind":"retried"%' then 'retry' end
        from steps p where p.task_id = c.task_id and p.seq = c.seq - 1), 'resume') end,
    to_json(c.runner))
  from claimed c
)
select c.task_id::text, c.epoch, c.seq, c.status, c.progress, c.attempts, c.inbox_sent, c.creator,
  t.task_type, t.agent_type, t.description, t.context, t.project_id, t.attachments,
  t.token_budget, t.max_iterations, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  extract(epoch from now() - c.wake_at)::float8 as waited
from claimed c
cross join lateral (select * from tasks where id = c.task_id limit 1) t
join due on due.task_id = c.task_id
order by due.place, due.n`
}

const release: Prepared = {
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

const stale: Prepared = {
  name: "claims_stale",
  text: `
select h.task_id::text from unnest($1::uuid[], $2::integer[]) as h(task_id, epoch)
left join actors a on a.task_id = h.task_id
where a.epoch is distinct from h.epoch`
}
