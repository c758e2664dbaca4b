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
import type { Prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { parentsResumed, stepTime } from "../Journal/JournalStatements.ts"
import { allows, hasEnded, statusAfter } from "../Row/StatusConditions.ts"
import { signal } from "../Row/TaskSignals.ts"

/** Whom the signals of a command reach: the runner that wakes the actor, or the one whose actor lost the task. */
export type Hint = "wake" | "revoked"

/** The tasks that $1 selects, with their subtasks. */
export const treeOf = (roots: "= $1::uuid" | "= any($1::uuid[])"): string =>
  `tree as (
  select id from tasks where id ${roots}
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

const published = (from: TaskStatus, to: TaskStatus): string =>
  `, events as (
  ${publishEvents({ event: `'${eventOfChange(from, to)}'`, ...eventFacts("h"), ...withTask("hit h", "h") })}
)`

/** Whom the failures of these tasks may notify. */
export const audiences: Prepared = {
  name: "tasks_audiences",
  text: `select t.id::text as task_id, ${audienceOf("t")} as audience from tasks t
where t.id = any($1::uuid[]) and t.task_type = 'task'`
}

/**
 * $6: cancels only subtasks. $8: the messages that go with the notification of a task (`Notice`). Tasks are locked in the order of their ids, as in the journal, so that the two do not deadlock.
 * A row without a shard is a task that changed between the snapshot and the lock: it may have new subtasks.
 */
export const cancel: Prepared = {
  name: "tasks_cancel",
  text: `with recursive ${treeOf("= any($1::uuid[])")}, unfinished as (
  select a.task_id, a.seq from tree join actors a on a.task_id = tree.id
  where ${allows("Failed", "a.status")} and not ($6::boolean and a.task_id = any($1::uuid[]))
  order by a.task_id
), hit as (
  update actors a set
    epoch = epoch + 1, seq = a.seq + 1, status = ${
    statusAfter("Failed")
  }, error = $3::text, ended_by = 'cancelled', question = null, last_tool_call_id = null, choices = null, asks_approval = false,
    wake_at = null, queued_by = null, runner = null, attempts = 0, process_deaths = 0, lone_deaths = 0,
    updated_at = ${stepTime}, completed_at = ${stepTime},
    subtasks_open = case when subtasks_open is not null then 0 end, resume_locked_until = null
  from unfinished where a.task_id = unfinished.task_id and ${allows("Failed", "a.status")}
  returning a.task_id, a.seq, a.shard, a.creator, a.awaited_by, a.updated_at as at, a.status, a.question, a.error
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $4::text from hit
), notices as (
  select notification_id(h.at, h.task_id, h.seq, 0) as id, h.creator as user_id, h.task_id, h.seq, m.messages
  from hit h join tasks t on t.id = h.task_id
  left join json_to_recordset($8::json) as m(task_id uuid, messages json) on m.task_id = h.task_id
  where not $5::boolean and h.task_id = any($1::uuid[]) and t.task_type = 'task'
), notified as (
  -- Without "returning": the assignee who cancels may not read the creator's notifications. Who cancelled the task knows
  -- that it failed; a notification of the system user has no other reader.
  insert into notifications (id, user_id, task_id, seq, read_at)
  select id, user_id, task_id, seq, case when user_id = $7::text or ($7::text is not null and user_id = '${systemUser}') then now() end
  from notices
)${sendNotifications("notices")}, dropped as (
  delete from inbox using hit where inbox.task_id = hit.task_id
)${published("running", "failed")}${
    parentsResumed(`select awaited_by as id, count(*)::integer as n from hit
    where task_id = any($1::uuid[]) and awaited_by is not null group by awaited_by order by awaited_by`)
  }${changed("revoked", outboxSignal("events"))}
union all
select null, r.shard, ${signal("troupe_wake", "r.shard")}, null, null
from resumed r where r.is_last
union all
select null, null, null, null, ${outboxSignal("messages")}
union all
select behind.task_id::text, null, null, null, null
from (select task_id, seq + 1 from unfinished except select task_id, seq from hit) behind`
}

/**
 * Locks the parent before the subtask, as the step that reads results does. A running parent without open subtasks may
 * have read the results, so its subtasks are not retried. A retried failure needs no attention, so its notification is marked as
 * read: that of the step at the time of the end, which the cost of an interrupted call may follow. Who retries a task watches it.
 */
export const retry: Prepared = {
  name: "tasks_retry",
  text: `with waiting as (
  select p.task_id from actors c join actors p on p.task_id = c.awaited_by
  where c.task_id = $1::uuid and not ${hasEnded("p.status")} and p.subtasks_open is not null
    and (p.runner is null or p.subtasks_open > 0)
  for update of p
), ended as (
  select completed_at from actors where task_id = $1::uuid
), hit as (
  update actors a set
    epoch = epoch + 1, seq = seq + 1, status = ${
    statusAfter("Retried")
  }, error = null, ended_by = null, wake_at = now(), watched_until = now() + interval '1 minute', attempts = 0,
    process_deaths = 0, lone_deaths = 0, updated_at = ${stepTime}, completed_at = null, resume_locked_until = null
  from tasks t left join waiting on true
  where a.task_id = $1::uuid and t.id = a.task_id and ${allows("Retried", "a.status")}
    and (t.task_type = 'task' or waiting.task_id = a.awaited_by)
  returning a.task_id, a.seq, a.shard, a.awaited_by, a.creator, a.updated_at as at
), awaited as (
  update actors p set subtasks_open = greatest(p.subtasks_open, 0) + 1
  from hit where p.task_id = hit.awaited_by and p.subtasks_open is not null
), logged as (
  insert into steps (task_id, seq, at, body) select task_id, seq, at, $3::text from hit
)${
    changed(
      "wake",
      `(select count(settle_notification(h.creator, notification_id(s.at, s.task_id, s.seq, 0)))
    from steps s join ended on s.at = ended.completed_at
    where s.task_id = h.task_id and s.seq between h.seq - 2 and h.seq - 1)`
    )
  }`
}

/** Whether this is the creator or the assignee of the task, an owner or an admin; null is the operator, self-hosted. */
const isTrusted = (user: string, task: string): string =>
  `(${user} is null or ${user} = ${task}.creator 
    or (${user} is not distinct from ${task}.assignee and not ${task}.assigned_by_answer)
    or exists (select from users u where u.id = ${user} and u.role <> 'member'))`

/**
 * `last_tool_call_id` is the call that asked; of two answers the row lock lets one through. $3 is the step of an answer, $9
 * that of a decision about an approval. $8: a button was pressed.
 */
export const answer: Prepared = {
  name: "tasks_answer",
  text: `with asked as (
  select a.task_id, a.last_tool_call_id, a.asks_approval, ${isTrusted("$5::text", "t")} as trusted
  from actors a join tasks t on t.id = a.task_id
  where a.task_id = $1::uuid and ${
    allows("Answered", "a.status")
  } and ($7::text is null or a.last_tool_call_id = $7::text)
    and (not a.asks_approval or (${isTrusted("$5::text", "t")} and (not $6::boolean or $7::text is not null)))
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
  select hit.task_id, hit.seq, hit.at, case when asked.asks_approval then $9::text else $3::text end
  from hit join asked on asked.task_id = hit.task_id
), sent as (
  insert into inbox (task_id, key, number, body)
  select hit.task_id, 'answered:' || hit.seq, hit.inbox_sent,
    json_build_object('kind', 'answered', 'toolCallId', asked.last_tool_call_id, 'text', $4::json,
      'trusted', asked.trusted and not $8::boolean, 'approves', asked.asks_approval and asked.trusted and $6::boolean)::text
  from hit join asked on asked.task_id = hit.task_id
), assigned as (
  update tasks t set assignee = $5::text, assigned_by_answer = not asked.trusted
  from asked join hit on hit.task_id = asked.task_id
  where t.id = hit.task_id and t.assignee is null and $5::text is not null
), shown as (${answersShown("$5::text", "$4::json")}
)${published("waiting_input", "running")}${changed("wake", outboxSignal("events"))}`
}

export const maxUnread = 100

/** $6 to $8: who sent it, and by which way. A running actor reads it after its current step. A sleeping one is woken, but not one that crashed. */
export const steer: Prepared = {
  name: "tasks_steer",
  text: `with hit as (
  update actors a set inbox_sent = inbox_sent + 1,
    wake_at = case when ${allows("Claimed", "status")} and attempts = 0 and process_deaths = 0
      then least(coalesce(wake_at, now()), now()) else wake_at end
  where task_id = $1::uuid and (${allows("Claimed", "status")} or ($5::boolean and ${allows("Answered", "status")}))
    and (select count(*) from inbox i where i.task_id = a.task_id) < ${maxUnread}
  returning task_id, shard, inbox_sent
), sent as (
  insert into inbox (task_id, key, number, body)
  select task_id, 'steered:' || inbox_sent, inbox_sent,
    json_build_object('kind', 'steered', 'text', $3::json, 'by', $6::text, 'name', $7::text, 'via', $8::text,
      'trusted', not $5::boolean and ${isTrusted("$4::text", "t")})::text
  from hit join tasks t on t.id = hit.task_id
)${changed("wake")}`
}
