import type { TaskId, UserId } from "@troupe/domain/Ids"
import { textOf } from "@troupe/domain/Step"
import { Context, Effect, Layer, Schedule } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { isRefusal } from "../Runtime/SqlFailure.ts"
import { storable } from "../Runtime/StorableText.ts"
import { parentsResumed, stepTime } from "./JournalStatements.ts"
import { tasksEnded } from "./TaskMetrics.ts"
import { TaskSignals } from "./TaskSignals.ts"

/**
 * Changes of a task from outside its actor, each one statement: the row, the step in the journal, the wake-up and the
 * hint. Where an actor may be at work the epoch is raised, so that whatever it still writes is fenced out: a cancel
 * holds from its commit on, even if the worker is frozen or dead. Each answers whether it applied.
 */
export class TaskCommands extends Context.Tag("troupe/Task/TaskCommands")<TaskCommands, {
  /** Ends the task and its subtasks, those that are not over, and notifies its creator unless it is `silent`. */
  readonly cancel: (id: TaskId, error: string, options?: { readonly silent: boolean }) => Effect.Effect<boolean>
  /** A subtask only until its parent has ended or begins to take its result, which counts what the subtask used. */
  readonly retry: (id: TaskId) => Effect.Effect<boolean>
  /** `by` becomes the assignee of a task that has none. */
  readonly answer: (id: TaskId, text: string, by: UserId | null) => Effect.Effect<boolean>
  readonly archive: (id: TaskId) => Effect.Effect<boolean>
  /** Removes an archived task and its subtasks with all they have. */
  readonly remove: (id: TaskId) => Effect.Effect<boolean>
}>() {
  static readonly layer: Layer.Layer<TaskCommands, never, PreparedStatements | TaskSignals> = Layer.effect(
    this,
    Effect.gen(function*() {
      const database = yield* PreparedStatements
      const signals = yield* TaskSignals
      const run = (statement: Prepared, values: ReadonlyArray<unknown>) =>
        database.execute(statement, values).pipe(
          // Two statements over several rows may deadlock; PostgreSQL undoes one of them, which is then run again.
          Effect.retry({ times: 3, schedule: Schedule.jittered(Schedule.spaced("50 millis")), while: isConflict }),
          Effect.orDie
        )
      const change = (hint: Hint) => (statement: Prepared, id: TaskId, ...values: ReadonlyArray<unknown>) =>
        Effect.map(run(statement, [id, signals.origin, ...values]), (rows) => {
          // A row without a task names the shard of one that is to be woken.
          const ids = rows.flatMap((row) => row["task_id"] === null ? [] : [row["task_id"] as TaskId])
          if (statement === cancel) tasksEnded(ids.length, { outcome: "cancelled" })
          if (hint === "revoked") signals.revoked(ids)
          const woken = rows.filter((row) => hint === "wake" || row["task_id"] === null)
          if (woken.length > 0) signals.wake(woken.map((row) => row["shard"] as number))
          signals.stepped(ids)
          return ids.includes(id)
        })
      const revoke = change("revoked")
      const wake = change("wake")
      return TaskCommands.of({
        cancel: (id, error, { silent } = { silent: false }) =>
          Effect.suspend(() => {
            const step = textOf({ kind: "cancelled", error: storable(error) })
            const pass = (isSecond: boolean) => revoke(cancel, id, storable(error), step, silent, isSecond)
            // Subtasks that were made while the first pass waited for the task's row are met by the second: after
            // the first, with the epoch raised, none is made any more.
            return Effect.zipLeft(pass(false), pass(true))
          }),
        retry: (id) => wake(retry, id, textOf({ kind: "retried" })),
        answer: (id, text, by) => wake(answer, id, textOf({ kind: "answered", by }), JSON.stringify(text), by),
        archive: (id) => Effect.map(run(archive, [id]), (rows) => rows.length > 0),
        remove: (id) => revoke(remove, id)
      })
    })
  )
}

const isConflict = (error: Parameters<typeof isRefusal>[0]): boolean =>
  !isRefusal(error) && /deadlock|serializ/i.test(String(error.cause))

/** What the change means for the runners. */
type Hint = "wake" | "revoked"

const tree = `tree as (
  select id from tasks where id = $1::uuid
  union all
  select t.id from tasks t join tree on t.parent_task_id = tree.id
)`

/** What the statement changed, with a hint for the runners and one for live views to the other processes, if any. */
const told = (hint: Hint): string => `
select h.task_id::text, h.shard,
  case when $2::text is not null then
    pg_notify('troupe_${hint}', $2::text || ' ' || ${hint === "wake" ? "h.shard" : "h.task_id"}) end,
  case when $2::text is not null then pg_notify('troupe_steps', $2::text || ' ' || h.task_id) end
from hit h`

const cancel: Prepared = {
  name: "tasks_cancel",
  text: `with recursive ${tree}, hit as (
  update actors a set
    epoch = epoch + 1, seq = seq + 1, status = 'failed', error = $3::text, question = null, last_tool_call_id = null,
    wake_at = null, line = null, runner = null, attempts = 0, process_deaths = 0, lone_deaths = 0,
    updated_at = ${stepTime}, completed_at = ${stepTime},
    subtasks_open = case when subtasks_open is not null then 0 end, resume_locked_until = null
  from tree where a.task_id = tree.id and a.status not in ('completed', 'failed')
    and (a.task_id <> $1::uuid or not $6::boolean)
  returning a.task_id, a.seq, a.shard, a.creator, a.awaited_by, a.updated_at as at
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $4::text from hit
), noticed as (
  insert into notifications (id, user_id, task_id, seq)
  select notification_id(h.at, h.task_id, h.seq, 0), h.creator, h.task_id, h.seq
  from hit h join tasks t on t.id = h.task_id
  where not $5::boolean and h.task_id = $1::uuid and t.task_type = 'task'
), dropped as (
  delete from inbox using hit where inbox.task_id = hit.task_id
)${parentsResumed("select awaited_by as id, 1 as n from hit where task_id = $1::uuid and awaited_by is not null")}${
    told("revoked")
  }
union all
select null, r.shard, case when $2::text is not null then pg_notify('troupe_wake', $2::text || ' ' || r.shard) end, null
from resumed r where r.is_last`
}

/**
 * The parent's row is locked before the subtask's, as the step that takes results does. A parent at work with no
 * subtask open may have read already how all of them ended, so its subtasks are not retried.
 */
const retry: Prepared = {
  name: "tasks_retry",
  text: `with waiting as (
  select p.task_id from actors c join actors p on p.task_id = c.awaited_by
  where c.task_id = $1::uuid and p.status not in ('completed', 'failed') and p.subtasks_open is not null
    and (p.runner is null or p.subtasks_open > 0)
  for update of p
), hit as (
  update actors a set
    epoch = epoch + 1, seq = seq + 1, status = 'pending', error = null, wake_at = now(), attempts = 0,
    process_deaths = 0, lone_deaths = 0, updated_at = ${stepTime}, completed_at = null, resume_locked_until = null
  from tasks t left join waiting on true
  where a.task_id = $1::uuid and t.id = a.task_id and a.status = 'failed'
    and (t.task_type = 'task' or waiting.task_id = a.awaited_by)
  returning a.task_id, a.seq, a.shard, a.awaited_by, a.updated_at as at
), awaited as (
  update actors p set subtasks_open = greatest(p.subtasks_open, 0) + 1
  from hit where p.task_id = hit.awaited_by and p.subtasks_open is not null
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $3::text from hit
)${told("wake")}`
}

/** The call that asked is the one in `last_tool_call_id`; of two answers the row's lock lets one through. */
const answer: Prepared = {
  name: "tasks_answer",
  text: `with asked as (
  select task_id, last_tool_call_id from actors where task_id = $1::uuid and status = 'waiting_input' for update
), hit as (
  update actors a set
    seq = seq + 1, status = 'running', question = null, last_tool_call_id = null, inbox_sent = inbox_sent + 1,
    wake_at = now(), attempts = 0, updated_at = ${stepTime}
  from asked where a.task_id = asked.task_id
  returning a.task_id, a.seq, a.shard, a.inbox_sent, a.updated_at as at
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $3::text from hit
), sent as (
  insert into inbox (task_id, key, number, body)
  select hit.task_id, 'answered:' || hit.seq, hit.inbox_sent,
    json_build_object('kind', 'answered', 'toolCallId', asked.last_tool_call_id, 'text', $4::json)::text
  from hit join asked on asked.task_id = hit.task_id
), assigned as (
  update tasks t set assignee = $5::text from hit where t.id = hit.task_id and t.assignee is null and $5::text is not null
)${told("wake")}`
}

const archive: Prepared = {
  name: "tasks_archive",
  text: "update tasks set archived_at = now() where id = $1::uuid and archived_at is null returning id"
}

const remove: Prepared = {
  name: "tasks_remove",
  text: `with recursive ${tree}, gone as (
  delete from tasks t using tree where t.id = tree.id
    and (select archived_at is not null from tasks root where root.id = $1::uuid)
  returning t.id, t.creator, t.assignee
), hit as (
  delete from actors a using gone where a.task_id = gone.id returning a.task_id, a.shard
), noticed as materialized (
  select array[gone.creator, gone.assignee] as users, gone.id, notification_id(s.at, s.task_id, s.seq, 0) as first,
    notification_id(s.at, s.task_id, s.seq, 4095) as last
  from gone join steps s on s.task_id = gone.id
), notices_gone as (
  delete from notifications n using noticed d
  where n.user_id = any(d.users) and n.is_read = any('{false,true}') and n.id between d.first and d.last
    and n.task_id = d.id
), steps_gone as (
  delete from steps s using gone where s.task_id = gone.id
), inbox_gone as (
  delete from inbox i using gone where i.task_id = gone.id
)${told("revoked")}`
}
