import type { TaskId } from "@troupe/domain/Ids"
import { type Notice, noticesOf } from "@troupe/domain/Notification"
import { planOf } from "@troupe/domain/Plan"
import { textOf } from "@troupe/domain/Step"
import { isTerminal } from "@troupe/domain/TaskState"
import type { Prepared } from "../Runtime/PreparedStatements.ts"
import { storable } from "../Runtime/StorableText.ts"
import { subtasksEnded } from "./Inbox.ts"
import { suspectQueue } from "./ProcessDeaths.ts"
import type { StepWrite, SubtaskRow, Wake } from "./StepWrite.ts"

const wakeColumn = (
  wake: Wake
): number => (wake._tag === "Keep" ? -1 : wake._tag === "Park" ? 0 : Math.max(1, wake.millis))

const clean = (text: string | null): string | null => text === null ? null : storable(text)

/** What a step does besides being appended. A group's statement holds only what some step of it does. */
interface Effects {
  readonly consumes: boolean
  readonly notifies: boolean
  readonly dispatches: boolean
  /** The end of a subtask, which may wake its parent. */
  readonly ends: boolean
}

export interface EncodedWrite extends Effects {
  readonly taskId: TaskId
  readonly json: string
}

export const encodeWrite = (entry: StepWrite): EncodedWrite => {
  const notices = entry.state.type === "task" ? noticesOf(entry.step) : []
  return {
    taskId: entry.taskId,
    json: JSON.stringify(rowOf(entry, notices)),
    consumes: entry.consumed.length > 0,
    notifies: notices.length > 0,
    dispatches: entry.subtasks !== undefined,
    ends: entry.state.type === "subtask" && isTerminal(entry.state.status)
  }
}

const rowOf = (entry: StepWrite, notices: ReadonlyArray<Notice>) => ({
  task_id: entry.taskId,
  epoch: entry.epoch,
  seq: entry.seq,
  body: textOf(entry.step),
  status: entry.state.status,
  question: clean(entry.state.question),
  last_tool_call_id: clean(entry.state.lastToolCallId),
  error: clean(entry.state.error),
  iteration_count: entry.run?.iterations ?? null,
  recursion_count: entry.run?.recursions ?? null,
  input_tokens: entry.run?.inputTokens ?? null,
  output_tokens: entry.run?.outputTokens ?? null,
  model_calls: entry.run?.modelCalls ?? null,
  tool_calls: entry.run?.toolCalls ?? null,
  progress: entry.progress,
  attempts: entry.attempts,
  ...(entry.keepsDeaths === true ? { keeps_deaths: true } : {}),
  wake: wakeColumn(entry.wake),
  inbox_seen: entry.inboxSeen,
  ...(entry.consumed.length === 0 ? {} : { consumed: entry.consumed }),
  // All notices of a step are of one kind.
  ...(notices.length === 0 ? {} : { notices: notices.length, asks: notices[0]?.kind === "question" }),
  ...(planOf(entry.step) === null ? {} : { plans: true }),
  ...(entry.collects === true ? { collects: true } : {}),
  ...(entry.subtasks === undefined ? {} : { subtasks: entry.subtasks.map(subtaskOf) })
})

const subtaskOf = ({ id, request, shard }: SubtaskRow) => ({
  id,
  shard,
  description: storable(request.description),
  context: clean(request.context),
  agent_type: request.agentType,
  token_budget: request.tokenBudget,
  max_iterations: request.maxIterations
})

/**
 * The time of a step of `actors a`, the same in its log entries and in the columns of the row. It is never before the
 * step that precedes it, whichever of two statements began first.
 */
export const stepTime = "greatest(now(), a.updated_at)"

const appended = ({ consumes, dispatches }: Effects): string => `
with input as (
  select * from json_to_recordset($1::json) as i(
    task_id uuid, epoch integer, seq integer, body text, status text, question text, last_tool_call_id text,
    error text, plans boolean, iteration_count integer, recursion_count integer, input_tokens integer,
    output_tokens integer, model_calls integer, tool_calls integer, progress smallint, attempts smallint,
    keeps_deaths boolean, wake bigint,
    inbox_seen integer, consumed text[], notices integer, asks boolean, subtasks json, collects boolean)
), moved as (
  update actors a set
    seq = i.seq, updated_at = ${stepTime},
    iteration_count = coalesce(i.iteration_count, a.iteration_count),
    recursion_count = coalesce(i.recursion_count, a.recursion_count),
    input_tokens = coalesce(i.input_tokens, a.input_tokens), output_tokens = coalesce(i.output_tokens, a.output_tokens),
    model_calls = coalesce(i.model_calls, a.model_calls), tool_calls = coalesce(i.tool_calls, a.tool_calls),
    progress = i.progress, status = i.status, question = i.question, last_tool_call_id = i.last_tool_call_id,
    error = i.error, plan_seq = coalesce(a.plan_seq, case when i.plans then i.seq end), runner = case when i.wake = -1 then a.runner end,
    line = case when i.keeps_deaths and a.line = '${suspectQueue}' then a.line
      when i.wake = -1 then nullif(a.line, '${suspectQueue}') end,
    attempts = i.attempts,
    process_deaths = case when i.keeps_deaths then a.process_deaths else 0 end,
    lone_deaths = case when i.keeps_deaths then a.lone_deaths else 0 end,
    completed_at = case when i.status in ('completed', 'failed') then ${stepTime} end,
    wake_at = case
      when i.wake = -1 then a.wake_at
      when i.status in ('completed', 'failed', 'waiting_input') then null
      when a.inbox_sent > i.inbox_seen then now()
      when i.wake = 0 then null
      else now() + i.wake * interval '1 millisecond' end${
  dispatches || consumes
    ? `,
    subtasks_open = case when i.collects then null when i.subtasks is null then a.subtasks_open
      else greatest(coalesce(a.subtasks_open, 0), 0) + json_array_length(i.subtasks) end`
    : ""
}${
  consumes
    ? `,
    resume_locked_until = case when '${subtasksEnded}' <> all(coalesce(i.consumed, '{}')) then a.resume_locked_until end`
    : ""
}
  from input i
  where a.task_id = i.task_id and a.epoch = i.epoch and a.seq = i.seq - 1
  returning a.task_id, i.seq, a.updated_at as at, i.body, i.consumed, a.creator, i.notices,
    i.asks, i.subtasks, i.collects, a.awaited_by, a.watched_until > now() as watched
), written as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, body from moved
)`

const consumed = `, consumed as (
  delete from inbox b using moved m where b.task_id = m.task_id and b.key = any(m.consumed)
), let_go as (
  update actors c set awaited_by = null from moved m join tasks t on t.parent_task_id = m.task_id
  where m.collects and c.task_id = t.id and c.awaited_by = m.task_id and c.status in ('completed', 'failed')
)`

/** A question goes to the task's assignee, if it has one; who that is, is looked up for questions only. */
const noticed = `, noticed as (
  insert into notifications (id, user_id, task_id, seq)
  select notification_id(m.at, m.task_id, m.seq, n),
    coalesce(case when m.asks then (select t.assignee from tasks t where t.id = m.task_id) end, m.creator),
    m.task_id, m.seq
  from moved m, generate_series(0, m.notices - 1) n
)`

const dispatched = `, dispatched as (
  select m.task_id as parent, m.creator, m.at, c.*
  from moved m cross join lateral json_to_recordset(m.subtasks) as c(
    id uuid, shard smallint, description text, context text, agent_type text, token_budget integer,
    max_iterations smallint)
), subtask_rows as (
  insert into tasks (id, created_at, creator, description, context, task_type, agent_type, parent_task_id, project_id,
    token_budget, max_iterations)
  select d.id, d.at, d.creator, d.description, d.context, 'subtask', d.agent_type, d.parent,
    (select t.project_id from tasks t where t.id = d.parent), d.token_budget, d.max_iterations
  from dispatched d
), subtask_actors as (
  insert into actors (task_id, shard, creator, updated_at, wake_at, awaited_by)
  select id, shard, creator, at, now(), parent from dispatched
)`

/**
 * The end of subtasks, as seen by the parents that await them. The parent's row lock puts them in a row, so that just
 * one is the last, even of two that end at the same time; it leaves a command and wakes the parent, unless that is due
 * already, was woken less than a minute ago and has not acted on it yet. One that waits for a human is woken by the
 * answer. What counts in the end is what the parent then finds: a count of zero and below only asks it to look.
 */
export const parentsResumed = (ended: string): string =>
  `, resumed as (
  update actors p set
    subtasks_open = p.subtasks_open - e.n,
    inbox_sent = p.inbox_sent + (p.subtasks_open <= e.n)::integer,
    wake_at = case
      when p.subtasks_open <= e.n and p.status in ('pending', 'running', 'waiting_subagents')
        and (p.wake_at is null or coalesce(p.resume_locked_until, '-infinity') <= now())
      then least(coalesce(p.wake_at, now()), now()) else p.wake_at end,
    resume_locked_until = case when p.subtasks_open <= e.n and p.status not in ('completed', 'failed')
      then now() + interval '60 seconds' else p.resume_locked_until end
  from (${ended}) e
  where p.task_id = e.id and p.subtasks_open is not null
  returning p.task_id, p.shard, p.inbox_sent,
    p.subtasks_open <= 0 and p.status not in ('completed', 'failed') as is_last
), signalled as (
  insert into inbox (task_id, key, number, body)
  select task_id, '${subtasksEnded}', inbox_sent, '{"kind":"${subtasksEnded}"}' from resumed where is_last
  on conflict (task_id, key) do update set number = excluded.number
)`

const parents = parentsResumed(`select awaited_by as id, count(*)::integer as n from moved
    where awaited_by is not null group by awaited_by order by awaited_by`)

/** Hints for the shards of these rows, to this process by the answer and to the others by NOTIFY. */
const wakes = (rows: string): string => `
union all
select null, shard, case when $2::text is not null then pg_notify('troupe_wake', $2::text || ' ' || shard) end
from ${rows}`

/**
 * Only steps of a task that somebody watches in another process are told of. At a second try ($3) a step that stands
 * there already under our epoch is the one that the first try committed without our hearing of it: nobody else writes
 * under it.
 */
const told = `
select task_id, null::smallint as shard, case when watched and $2::text is not null then
  pg_notify('troupe_steps', $2::text || ' ' || task_id) end from moved
union all
select i.task_id, null, null from input i join actors a on a.task_id = i.task_id
where $3::boolean and a.epoch = i.epoch and a.seq = i.seq`

/** Without what no step of the group does. */
const appends = ({ consumes, dispatches, ends, notifies }: Effects): Prepared => ({
  name: `journal_append${consumes ? "_consume" : ""}${notifies ? "_notify" : ""}${dispatches ? "_dispatch" : ""}${
    ends ? "_end" : ""
  }`,
  text: [
    appended({ consumes, dispatches, ends, notifies }),
    consumes ? consumed : "",
    notifies ? noticed : "",
    dispatches ? dispatched : "",
    ends ? parents : "",
    told,
    dispatches ? wakes("dispatched") : "",
    ends ? wakes("resumed where is_last") : ""
  ].join("")
})

/** The statement of a group: $1 its steps as JSON, $2 the sender of hints, $3 whether it is a second try. */
export const appendOf = (writes: ReadonlyArray<Effects>): Prepared =>
  appends({
    consumes: writes.some(({ consumes }) => consumes),
    notifies: writes.some(({ notifies }) => notifies),
    dispatches: writes.some(({ dispatches }) => dispatches),
    ends: writes.some(({ ends }) => ends)
  })
