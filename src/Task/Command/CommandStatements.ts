import { systemUser } from "@troupe/domain/Ids"
import { eventOfChange } from "@troupe/domain/Subscription"
import type { TaskStatus } from "@troupe/domain/Task"
import { audienceOf } from "../../Delivery/Audience.ts"
import {
  answersShown,
  eventFacts,
  outboxSignal,
  publishEvents,
  sendNotifications,
  withTask
} from "../../Delivery/Outbox.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { parentsResumed, stepTime } from "../Journal/JournalStatements.ts"
import { allows, hasEnded, statusAfter } from "../Row/StatusConditions.ts"
import { signal } from "../Row/TaskSignals.ts"

/** Whom the signals of a command reach: the runner that wakes the actor, or the one whose actor lost the task. */
export type Hint = "wake" | "revoked"

/** The tasks that a condition selects, with their subtasks. */
export const treeOf = (roots: string): string =>
  `tree as (
  select id from tasks where ${roots}
  union
  select t.id from tasks t join tree on t.parent_task_id = tree.id
)`

/** `also`: expressions on a changed row. */
export const changed = (hint: Hint, ...also: ReadonlyArray<string>): string => `
select h.task_id::text, h.shard, ${
  hint === "wake" ? signal("troupe_wake", "h.shard") : signal("troupe_revoked", "h.task_id")
},
  ${[signal("troupe_steps", "h.task_id"), ...also].join(",\n  ")}
from hit h`

export const publishedChange = (from: TaskStatus, to: TaskStatus): string =>
  `, events as (
  ${publishEvents({ event: `'${eventOfChange(from, to)}'`, ...eventFacts("h"), ...withTask("hit h", "h") })}
)`

/** Whom the failures of these tasks may notify. */
export const audiences = prepared(
  "tasks_audiences",
  ["tasks"],
  `select t.id::text as task_id, ${audienceOf("t")} as audience from tasks t
where t.id = any($tasks::uuid[]) and t.task_type = 'task'`
)

/** The step that asked, of a task `hit` that waits: since then only decisions and messages were written. */
export const questionStep = `(
    select s.seq from steps s where s.task_id = hit.task_id and s.body like '{"kind":"results"%' order by s.seq desc limit 1)`

/**
 * `$onlySubtasks`: those of the tasks. `$messages` are those that go with the notification of a task (`Notice`). Tasks
 * are locked in the order of their ids, as in the journal, so that the two do not deadlock.
 * A row without a shard is a task that changed between the snapshot and the lock: it may have new subtasks.
 */
export const cancel = prepared(
  "tasks_cancel",
  ["tasks", "origin", "error", "step", "isSilent", "onlySubtasks", "by", "canceller", "messages"],
  `with recursive ${treeOf("id = any($tasks::uuid[])")}, unfinished as (
  select a.task_id, a.seq from tree join actors a on a.task_id = tree.id
  where ${allows("Failed", "a.status")} and not ($onlySubtasks::boolean and a.task_id = any($tasks::uuid[]))
  order by a.task_id
), hit as (
  update actors a set
    epoch = epoch + 1, seq = a.seq + 1, status = ${
    statusAfter("Failed")
  }, error = $error::text, ended_by = 'cancelled', ended_detail = $canceller::text, question = null, last_tool_call_id = null, choices = null, asks_approval = false,
    wake_at = null, queued_by = null, runner = null, attempts = 0, process_deaths = 0, lone_deaths = 0,
    updated_at = ${stepTime}, completed_at = ${stepTime},
    subtasks_open = case when subtasks_open is not null then 0 end, resume_locked_until = null
  from unfinished where a.task_id = unfinished.task_id and ${allows("Failed", "a.status")}
  returning a.task_id, a.seq, a.shard, a.creator, a.awaited_by, a.updated_at as at, a.status, a.question, a.error
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $step::text from hit
), notices as (
  select notification_id(h.at, h.task_id, h.seq, 0) as id, h.creator as user_id, h.task_id, h.seq, m.messages
  from hit h join tasks t on t.id = h.task_id
  left join json_to_recordset($messages::json) as m(task_id uuid, messages json) on m.task_id = h.task_id
  where not $isSilent::boolean and h.task_id = any($tasks::uuid[]) and t.task_type = 'task'
), notified as (
  -- Without "returning": the assignee who cancels may not read the creator's notifications. Who cancelled the task knows
  -- that it failed; a notification of the system user has no other reader.
  insert into notifications (id, user_id, task_id, seq, read_at)
  select id, user_id, task_id, seq, case when user_id = $by::text or ($by::text is not null and user_id = '${systemUser}') then now() end
  from notices
)${sendNotifications("notices")}, dropped as (
  delete from inbox using hit where inbox.task_id = hit.task_id
), closed as (
  update approvals p set status = 'cancelled', decided_at = now(), decided_by = $by::text, remind_at = null
  from hit where p.task_id = hit.task_id and p.status = 'open' returning p.task_id
), shown as (${
    answersShown("$by::text", "'cancelled'::text", {
      from: "(select distinct task_id from closed) hit",
      question: questionStep
    })
  }
)${publishedChange("running", "failed")}${
    parentsResumed(`select awaited_by as id, count(*)::integer as n from hit
    where task_id = any($tasks::uuid[]) and awaited_by is not null group by awaited_by order by awaited_by`)
  }${changed("revoked", outboxSignal("events"))}
union all
select null, r.shard, ${signal("troupe_wake", "r.shard")}, null, null
from resumed r where r.is_last
union all
select null, null, null, null, ${outboxSignal("messages")}
union all
select behind.task_id::text, null, null, null, null
from (select task_id, seq + 1 from unfinished except select task_id, seq from hit) behind`
)

/**
 * Locks the parent before the subtask, as the step that reads results does. A running parent without open subtasks may
 * have read the results, so its subtasks are not retried. A retried failure needs no attention, so its notification is marked as
 * read: that of the step at the time of the end, which the cost of an interrupted call may follow. Who retries a task watches it.
 */
export const retry = prepared(
  "tasks_retry",
  ["task", "origin", "step"],
  `with waiting as (
  select p.task_id from actors c join actors p on p.task_id = c.awaited_by
  where c.task_id = $task::uuid and not ${hasEnded("p.status")} and p.subtasks_open is not null
    and (p.runner is null or p.subtasks_open > 0)
  for update of p
), ended as (
  select completed_at from actors where task_id = $task::uuid
), hit as (
  update actors a set
    epoch = epoch + 1, seq = seq + 1, status = ${
    statusAfter("Retried")
  }, error = null, ended_by = null, ended_detail = null, wake_at = now(), watched_until = now() + interval '1 minute', attempts = 0,
    process_deaths = 0, lone_deaths = 0, updated_at = ${stepTime}, completed_at = null, resume_locked_until = null
  from tasks t left join waiting on true
  where a.task_id = $task::uuid and t.id = a.task_id and ${allows("Retried", "a.status")}
    and (t.task_type = 'task' or waiting.task_id = a.awaited_by)
  returning a.task_id, a.seq, a.shard, a.awaited_by, a.creator, a.updated_at as at
), awaited as (
  update actors p set subtasks_open = greatest(p.subtasks_open, 0) + 1
  from hit where p.task_id = hit.awaited_by and p.subtasks_open is not null
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $step::text from hit
)${
    changed(
      "wake",
      `(select undo_end(h.task_id, completed_at, array(
    select notification_id(s.at, s.task_id, s.seq, 0) from steps s
    where s.task_id = h.task_id and s.at = completed_at and s.seq between h.seq - 2 and h.seq - 1))::text from ended)`
    )
  }`
)

/** Whether this is the creator or the assignee of the task, an owner or an admin; null is the operator, self-hosted. */
const isTrusted = (user: string, task: string): string =>
  `(${user} is null or ${user} = ${task}.creator 
    or (${user} is not distinct from ${task}.assignee and not ${task}.assigned_by_answer)
    or exists (select from users u where u.id = ${user} and u.role <> 'member'))`

/**
 * `last_tool_call_id` is the call that asked; of two answers the row lock lets one through. `$answered` is the step of an
 * answer, `$decided` that of a decision about an approval.
 */
export const answer = prepared(
  "tasks_answer",
  ["task", "origin", "answered", "text", "by", "approves", "call", "byButton", "decided", "given"],
  `with asked as (
  select a.task_id, a.last_tool_call_id, a.asks_approval, ${isTrusted("$by::text", "t")} as trusted
  from actors a join tasks t on t.id = a.task_id
  where a.task_id = $task::uuid and ${
    allows("Answered", "a.status")
  } and ($call::text is null or a.last_tool_call_id = $call::text)
    and (not a.asks_approval or (${
    isTrusted("$by::text", "t")
  } and (not $approves::boolean or $call::text is not null)))
  for update of a
), hit as (
  update actors a set
    seq = seq + 1, status = ${
    statusAfter("Answered")
  }, question = null, last_tool_call_id = null, choices = null, asks_approval = false, inbox_sent = inbox_sent + 1,
    wake_at = now(), attempts = 0, updated_at = ${stepTime}
  from asked where a.task_id = asked.task_id
  returning a.task_id, a.seq, a.shard, a.inbox_sent, a.updated_at as at, a.status, a.question, a.error
), logged as (
  insert into steps (task_id, seq, at, body)
  select hit.task_id, hit.seq, hit.at, case when asked.asks_approval then $decided::text else $answered::text end
  from hit join asked on asked.task_id = hit.task_id
), sent as (
  insert into inbox (task_id, key, number, body)
  select hit.task_id, 'answered:' || hit.seq, hit.inbox_sent,
    case when $given::json is null then json_build_object('kind', 'answered', 'toolCallId', asked.last_tool_call_id, 'text', $text::json,
      'trusted', asked.trusted and not $byButton::boolean, 'approves', asked.asks_approval and asked.trusted and $approves::boolean)
    else json_build_object('kind', 'answered', 'toolCallId', asked.last_tool_call_id, 'text', $text::json, 'given', $given::json) end::text
  from hit join asked on asked.task_id = hit.task_id
), assigned as (
  update tasks t set assignee = $by::text, assigned_by_answer = not asked.trusted
  from asked join hit on hit.task_id = asked.task_id
  where t.id = hit.task_id and t.assignee is null and $by::text is not null
), shown as (${answersShown("$by::text", "$text::json")}
)${publishedChange("waiting_input", "running")}${changed("wake", outboxSignal("events"))}`
)

export const maxUnread = 100

/** A running actor reads it after its current step. A sleeping one is woken, but not one that crashed. */
export const steer = prepared(
  "tasks_steer",
  ["task", "origin", "text", "by", "fromOutside", "sender", "name", "via"],
  `with hit as (
  update actors a set inbox_sent = inbox_sent + 1,
    wake_at = case when ${allows("Claimed", "status")} and attempts = 0 and process_deaths = 0
      then least(coalesce(wake_at, now()), now()) else wake_at end
  where task_id = $task::uuid and (${allows("Claimed", "status")} or (($fromOutside::boolean or asks_approval) and ${
    allows("Answered", "status")
  }))
    and (select count(*) from inbox i where i.task_id = a.task_id) < ${maxUnread}
  returning task_id, shard, inbox_sent, asks_approval
), sent as (
  insert into inbox (task_id, key, number, body)
  select task_id, 'steered:' || inbox_sent, inbox_sent,
    json_build_object('kind', 'steered', 'text', $text::json, 'by', $sender::text, 'name', $name::text, 'via', $via::text,
      'aside', asks_approval, 'trusted', not $fromOutside::boolean and ${isTrusted("$by::text", "t")})::text
  from hit join tasks t on t.id = hit.task_id
)${changed("wake")}`
)
