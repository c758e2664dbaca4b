import { systemUser } from "@troupe/domain/Ids"
import { audienceOf } from "../../Delivery/Audience.ts"
import {
  eventFacts,
  insertEntries,
  outboxSignal,
  publishEvents,
  sendNotifications,
  withTask
} from "../../Delivery/Outbox.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { suspectQueue } from "../Row/ProcessDeaths.ts"
import { allows, hasEnded } from "../Row/StatusConditions.ts"
import { signal } from "../Row/TaskSignals.ts"
import { subtasksEnded } from "./Inbox.ts"

/** The time of a step in its log and row, never before the previous step's. */
export const stepTime = "greatest(now(), a.updated_at)"

/**
 * The part that each append needs: the rows of `input` whose epoch and step number fit move on, and their steps are written.
 * `isStill`: what else must still hold of a step of `i`.
 */
const appended = (isStill = ""): string => `
with input as (
  select * from json_to_recordset($steps::json) as i(
    task_id uuid, epoch integer, seq integer, body text, status text, question text, last_tool_call_id text,
    choices text[], form text, url text, asks_approval boolean, error text, ended_by text,
    ended_detail text, plan text, iteration_count integer, input_tokens integer,
    output_tokens integer, model_calls integer, tool_calls integer, cost double precision, progress smallint, attempts smallint,
    keeps_deaths boolean, wake bigint,
    inbox_seen integer, consumed text[], subtasks json, collects boolean, notices json, audience jsonb, outgoing json,
    event text, retry_in integer, outside_since integer, private_since integer,
    approvals json)
), moved as (
  update actors a set
    seq = i.seq, updated_at = ${stepTime},
    iteration_count = coalesce(i.iteration_count, a.iteration_count),
    input_tokens = coalesce(i.input_tokens, a.input_tokens), output_tokens = coalesce(i.output_tokens, a.output_tokens),
    model_calls = coalesce(i.model_calls, a.model_calls), tool_calls = coalesce(i.tool_calls, a.tool_calls),
    cost = case when i.model_calls is null then a.cost else i.cost end,
    progress = i.progress, status = i.status, question = i.question, last_tool_call_id = i.last_tool_call_id,
    outside_since = coalesce(a.outside_since, i.outside_since), private_since = coalesce(a.private_since, i.private_since),
    has_approvals = a.has_approvals or i.approvals is not null, choices = i.choices, form = i.form, url = i.url, asks_approval = i.asks_approval is not null,
    error = i.error, ended_by = i.ended_by, ended_detail = i.ended_detail,
    plan_seq = coalesce(a.plan_seq, case when i.plan is not null then i.seq end),
    runner = case when i.wake = -1 then a.runner end,
    queued_by = case when i.keeps_deaths and a.queued_by = '${suspectQueue}' then a.queued_by
      when i.wake = -1 then nullif(a.queued_by, '${suspectQueue}') end,
    attempts = i.attempts,
    process_deaths = case when i.keeps_deaths then a.process_deaths else 0 end,
    lone_deaths = case when i.keeps_deaths then a.lone_deaths else 0 end,
    completed_at = case when ${hasEnded("i.status")} then ${stepTime} end,
    wake_at = case
      when i.wake = -1 then a.wake_at
      when i.status in ('completed', 'failed', 'waiting_input') then null
      when a.inbox_sent > i.inbox_seen then now()
      when i.wake = 0 then null
      else now() + i.wake * interval '1 millisecond' end,
    subtasks_open = case when i.collects then null when i.subtasks is null then a.subtasks_open
      else greatest(coalesce(a.subtasks_open, 0), 0) + json_array_length(i.subtasks) end,
    resume_locked_until = case when '${subtasksEnded}' <> all(coalesce(i.consumed, '{}')) then a.resume_locked_until end
  from input i
  where a.task_id = i.task_id and a.epoch = i.epoch and a.seq = i.seq - 1
    and (i.status <> 'completed' or a.inbox_sent <= i.inbox_seen)${isStill}
  returning a.task_id, a.inbox_sent, i.seq, a.updated_at as at, i.body, case when a.plan_seq = i.seq then i.plan end as plan,
    i.consumed, a.creator, i.subtasks, i.collects, i.notices, i.outgoing, i.approvals, i.event, i.status, i.question, i.error, i.retry_in,
    a.awaited_by, a.watched_until > now() as watched
), written as (
  insert into steps (task_id, seq, at, body, plan, retry_at)
  select task_id, seq, at, body, plan, at + retry_in * interval '1 millisecond' from moved
)`

/** Those whom a step's notifications may reach are still those for whom they were written. */
const isStillForThem = `
    and (i.audience is null or i.audience = (select ${audienceOf("t")} from tasks t where t.id = i.task_id))`

const consumed = `, consumed as (
  delete from inbox b where b.task_id = any(array(select task_id from moved where consumed is not null))
    and b.key = any(coalesce((select m.consumed from moved m where m.task_id = b.task_id), '{}'))
), released as (
  update actors c set awaited_by = null from moved m join tasks t on t.parent_task_id = m.task_id
  where m.collects and c.task_id = t.id and c.awaited_by = m.task_id and ${hasEnded("c.status")}
)`

const notified = `, notices as (
  select notification_id(m.at, m.task_id, m.seq, n.place) as id, n.user_id, m.task_id, m.seq, n.messages
  from moved m cross join lateral json_to_recordset(m.notices) as n(place integer, user_id text, messages json)
), notified as (
  insert into notifications (id, user_id, task_id, seq) select id, user_id, task_id, seq from notices
)${sendNotifications("notices")}`

/** The calls that ask for approval. The question goes to the task's people; who else may approve is told at once by a reminder. */
const asking = `, asking as (
  insert into approvals (id, task_id, tool_call_id, tool, server, class, outside_since, outside_because, private_since, arguments, parameters, files,
    rule, because, cause, preset, binding, who, created_at, remind_at)
  select p.id, m.task_id, p.tool_call_id, p.tool, p.server, p.class, p.outside_since, p.outside_because, p.private_since, p.arguments, p.parameters,
    p.files, p.rule, p.because, p.cause, p.preset, p.binding, p.who, m.at,
    case when p.who <@ '{requester,admin}' and 'requester' = any(p.who) and (select t.creator from tasks t where t.id = m.task_id) <> '${systemUser}'
      then m.at + interval '1 day' else m.at end
  from moved m cross join lateral json_to_recordset(m.approvals) as p(
    id uuid, tool_call_id text, tool text, server text, class text, outside_since integer, outside_because text, private_since integer, arguments text,
    parameters text, files text, rule integer, because text, cause text, preset text, binding text, who text[])
)`

const published = `, events as (
  ${publishEvents({ event: "m.event", ...eventFacts("m"), ...withTask("moved m", "m", "m.event is not null") })}
)`

const signalled = (rows: "events" | "messages" | "outgoing"): string => `
union all
select null, null, null, ${outboxSignal(rows)}`

const outgoing = `, outgoing as (
  ${insertEntries("moved m cross join lateral json_to_recordset(m.outgoing)")}
)`

const dispatched = `, dispatched as (
  select m.task_id as parent, m.creator, m.at, c.*
  from moved m cross join lateral json_to_recordset(m.subtasks) as c(
    id uuid, shard smallint, description text, context text, agent_type text, token_budget integer,
    max_iterations smallint, max_cost double precision, agent text, agent_revision text,
    agent_text integer, shown text)
), subtask_rows as (
  insert into tasks (id, created_at, creator, description, context, task_type, agent_type, parent_task_id, project_id, tool_access,
    token_budget, max_iterations, max_cost, agent, agent_revision, agent_text, shown)
  select d.id, d.at, d.creator, d.description, d.context, 'subtask', d.agent_type, d.parent,
    t.project_id, t.tool_access, d.token_budget, d.max_iterations, d.max_cost,
    d.agent, d.agent_revision, d.agent_text, d.shown
  from dispatched d cross join lateral (select project_id, tool_access from tasks where id = d.parent limit 1) t
), subtask_actors as (
  insert into actors (task_id, shard, creator, updated_at, wake_at, awaited_by)
  select id, shard, creator, at, now(), parent from dispatched
)`

/**
 * Counts ended subtasks on the parents that await them. The parent's row lock makes exactly one the last: it writes a
 * command and wakes the parent, unless it is due or was just woken. The parent reads the subtasks itself.
 */
export const parentsResumed = (ended: string): string =>
  `, resumed as (
  update actors p set
    subtasks_open = p.subtasks_open - e.n,
    inbox_sent = p.inbox_sent + (p.subtasks_open <= e.n)::integer,
    wake_at = case
      when p.subtasks_open <= e.n and ${allows("Claimed", "p.status")}
        and (p.wake_at is null or coalesce(p.resume_locked_until, '-infinity') <= now())
      then least(coalesce(p.wake_at, now()), now()) else p.wake_at end,
    resume_locked_until = case when p.subtasks_open <= e.n and not ${hasEnded("p.status")}
      then now() + interval '60 seconds' else p.resume_locked_until end
  from (${ended}) e
  where p.task_id = e.id and p.subtasks_open is not null
  returning p.task_id, p.shard, p.inbox_sent,
    p.subtasks_open <= 0 and not ${hasEnded("p.status")} as is_last
), signalled as (
  insert into inbox (task_id, key, number, body)
  select task_id, '${subtasksEnded}', inbox_sent, '{"kind":"${subtasksEnded}"}' from resumed where is_last
  on conflict (task_id, key) do update set number = excluded.number
)`

const parents = parentsResumed(`select awaited_by as id, count(*)::integer as n from moved
    where awaited_by is not null and ${hasEnded("status")} group by awaited_by order by awaited_by`)

export const unread = prepared(
  "journal_unread",
  ["task", "epoch", "seq", "inboxSeen"],
  `select inbox_sent from actors
where task_id = $task::uuid and epoch = $epoch::integer and seq = $seq::integer - 1 and inbox_sent > $inboxSeen::integer`
)

/** Whom a step may notify, where that is not `$audience` any more. */
export const audience = prepared(
  "journal_audience",
  ["task", "epoch", "seq", "audience"],
  `select n.audience from actors a join tasks t on t.id = a.task_id
cross join lateral (select ${audienceOf("t")} as audience) n
where a.task_id = $task::uuid and a.epoch = $epoch::integer and a.seq = $seq::integer - 1 and n.audience <> $audience::jsonb`
)

/**
 * `$seq` is the last step of the interrupted run under `$epoch`. A cancel has raised both by one. Anything else that came
 * between them, such as a retry, has begun another run, whose row this statement leaves as it is.
 */
export const interrupted = prepared(
  "journal_interrupted",
  ["task", "origin", "epoch", "seq", "body", "inputTokens", "outputTokens", "modelCalls", "cost"],
  `with moved as (
  update actors a set seq = a.seq + 1, updated_at = ${stepTime}, input_tokens = $inputTokens::integer, output_tokens = $outputTokens::integer,
    model_calls = $modelCalls::integer, cost = $cost::double precision
  where a.task_id = $task::uuid and (
    (a.epoch = $epoch::integer and a.seq = $seq::integer and not ${hasEnded("a.status")})
    or (a.epoch = $epoch::integer + 1 and a.seq = $seq::integer + 1 and ${hasEnded("a.status")})
  )
  returning a.task_id, a.seq, a.updated_at as at
), written as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $body::text from moved
)
select ${signal("troupe_steps", "task_id")} from moved`
)

/** The shards of these rows, for this process; the others receive them by NOTIFY. */
const wakes = (rows: string): string => `
union all
select null, shard, null, ${signal("troupe_wake", "shard")}
from ${rows}`

/**
 * The tasks whose step was appended. In a second try, a step that exists under this epoch was committed by the first.
 */
const appendedTasks = `
select task_id, null::smallint as shard, inbox_sent, case when watched then ${signal("troupe_steps", "task_id")} end
from moved
union all
select i.task_id, null, a.inbox_sent, null from input i join actors a on a.task_id = i.task_id
where $isRetry::boolean and a.epoch = i.epoch and a.seq = i.seq`

const parameters = ["steps", "origin", "isRetry"] as const

/** Steps that change nothing but their own task's row: most of them. */
export const append = prepared("journal_append", parameters, [appended(), appendedTasks].join(""))

const told = [notified, published]
const toldSignals = [signalled("messages"), signalled("events")]

/** Steps that also notify people or are events for subscriptions, as the last one of each task. */
export const appendAndTell = prepared(
  "journal_append_tell",
  parameters,
  [appended(isStillForThem), ...told, appendedTasks, ...toldSignals].join("")
)

/** Steps that also ask for approval, act on commands, send messages, dispatch subtasks or are the end of one. */
export const appendAndAct = prepared(
  "journal_append_act",
  parameters,
  [
    appended(isStillForThem),
    ...told,
    asking,
    consumed,
    outgoing,
    dispatched,
    parents,
    appendedTasks,
    ...toldSignals,
    signalled("outgoing"),
    wakes("dispatched"),
    wakes("resumed where is_last")
  ].join("")
)
