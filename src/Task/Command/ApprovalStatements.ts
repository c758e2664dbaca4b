import { eventOfChange } from "@troupe/domain/Subscription"
import { answersShown, eventFacts, outboxSignal, publishEvents, withTask } from "../../Delivery/Outbox.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { stepTime } from "../Journal/JournalStatements.ts"
import { allows, statusAfter } from "../Row/StatusConditions.ts"
import { changed, questionStep } from "./CommandStatements.ts"

/**
 * Decisions about calls that ask, all of them in the order of `place` or none: `$decisions` has their approvals with the steps and
 * commands to write. `$isLast`: no call is left open, so the task goes on. The caller holds the lock of the task's row.
 */
export const decide = prepared(
  "tasks_decide",
  ["task", "origin", "decisions", "isLast", "by", "text", "shown"],
  `with decisions as materialized (
  select * from json_to_recordset($decisions::json) as d(
    place integer, id uuid, status text, arguments text, edited boolean, reason text, via text, step text, command text)
), counted as (
  select count(*)::integer as n from decisions
), hit as (
  update actors a set
    seq = seq + n, inbox_sent = inbox_sent + n, updated_at = ${stepTime},
    status = case when $isLast::boolean then ${statusAfter("Answered")} else a.status end,
    question = case when not $isLast::boolean then question end, choices = case when not $isLast::boolean then choices end,
    last_tool_call_id = case when not $isLast::boolean then last_tool_call_id end,
    asks_approval = not $isLast::boolean, wake_at = case when $isLast::boolean then now() end, attempts = 0
  from counted where a.task_id = $task::uuid and ${allows("Answered", "a.status")}
  returning a.task_id, a.seq, a.shard, a.inbox_sent, a.updated_at as at, a.status, a.question, a.error, n
), logged as (
  insert into steps (task_id, seq, at, body)
  select h.task_id, h.seq - h.n + d.place, h.at, d.step from hit h cross join decisions d
), sent as (
  insert into inbox (task_id, key, number, body)
  select h.task_id, 'decided:' || d.id, h.inbox_sent - h.n + d.place, d.command from hit h cross join decisions d
), decided as (
  update approvals p set status = d.status, decided_by = $by::text, decided_at = h.at, via = d.via, reason = d.reason,
    arguments = coalesce(d.arguments, p.arguments), edited = d.edited, remind_at = null
  from hit h cross join decisions d where p.id = d.id
), assigned as (
  update tasks t set assignee = $by::text, assigned_by_answer = false
  from hit where t.id = hit.task_id and t.assignee is null and $by::text is not null and $isLast::boolean
), asked as (
  -- What is asked anew is another question: answers to the mails about this one decide nothing about it.
  update task_threads r set call = null from hit where r.task_id = hit.task_id and r.call is not null and $isLast::boolean
), shown as (${answersShown("$by::text", "$text::json", { each: "$shown::uuid", question: questionStep })}
), events as (
  ${
    publishEvents({
      event: `'${eventOfChange("waiting_input", "running")}'`,
      ...eventFacts("h"),
      ...withTask("hit h", "h", "$isLast::boolean")
    })
  }
)${changed("wake", outboxSignal("events"))}`
)
