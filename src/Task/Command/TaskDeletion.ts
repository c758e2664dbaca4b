import { eventFacts, outboxSignal, publishEvents, withTask } from "../../Delivery/Outbox.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { chainLength } from "../Row/NewTask.ts"
import { hasEnded } from "../Row/StatusConditions.ts"
import { addUsage, endColumns } from "../Row/UsageSums.ts"
import { changed, treeOf } from "./CommandStatements.ts"

/**
 * Common table expressions that delete the tasks of `selected (id, users)`, and of `users` the notifications about them.
 * `hit` has the deleted actors. A mark keeps a memory of a task from being saved after its deletion, and is its last event.
 * What is in no sum yet of usage and history stays counted. The lock waits for the job that adds to the sums of usage (`UserHours`).
 */
const taskDeletion = (selected: string): string =>
  `doomed as materialized (
  ${selected}
), hit as (
  delete from actors a using doomed where a.task_id = doomed.id returning a.task_id, a.shard, a.tool_calls, ${
    endColumns.replaceAll(/\w+/g, "a.$&")
  }
), summed as materialized (
  select until from usage_sums for share
), usage_kept as (
  ${
    addUsage(`hit a join tasks t on t.id = a.task_id
  where coalesce(a.completed_at >= (select until from summed), true)`)
  }
), ends_kept as (
  insert into deleted_ends (${endColumns}, created_at, task_type)
  select ${endColumns}, t.created_at, t.task_type from hit a join tasks t on t.id = a.task_id
  where a.completed_at > now() - interval '31 days'
    and (select true from task_hours s where s.hour = date_trunc('hour', a.completed_at, 'UTC')) is null
), notification_ids as materialized (
  select d.users, d.id, notification_id(s.at, s.task_id, s.seq, 0) as first,
    notification_id(s.at, s.task_id, s.seq, 4095) as last
  from doomed d join steps s on s.task_id = d.id where d.users <> '{}'
), notifications_deleted as (
  delete from notifications n using notification_ids d
  where n.user_id = any(d.users) and n.id between d.first and d.last
    and n.task_id = d.id
), steps_deleted as (
  delete from steps s using doomed where s.task_id = doomed.id
), inbox_deleted as (
  delete from inbox i using doomed where i.task_id = doomed.id
), approvals_deleted as (
  delete from approvals p using doomed where p.task_id = doomed.id
), grants_deleted as (
  delete from grants g using doomed where g.task_id = doomed.id
), threads_deleted as (
  delete from task_threads r using doomed where r.task_id = doomed.id
), outbox_deleted as (
  delete from outbox o using doomed where o.task_id = doomed.id
), messages_emptied as (
  update inbound_messages m set body = null, headers = '{}', url = '', source_ip = null, creator = null
  from doomed where m.task_id = doomed.id
), marked as (
  insert into remembered_tasks (task_id, xact_id) select task_id, pg_current_xact_id() from hit
  on conflict (task_id) do update set xact_id = excluded.xact_id, at = excluded.at
), tasks_deleted as (
  delete from tasks t using doomed where t.id = doomed.id
)`

export const archive = prepared(
  "tasks_archive",
  ["task"],
  `with archived as (
  update tasks set archived_at = now(), xact_id = pg_current_xact_id() where id = $task::uuid and archived_at is null returning id as task_id, archived_at as at
), events as (
  ${
    publishEvents({
      event: "'task.archived'",
      ...eventFacts("a"),
      at: "h.at",
      ...withTask("archived h join actors a on a.task_id = h.task_id", "h")
    })
  }
)
select h.task_id, ${outboxSignal("events")} from archived h`
)

export const restore = prepared(
  "tasks_restore",
  ["task"],
  `update tasks set archived_at = null, xact_id = pg_current_xact_id() where id = $task::uuid and archived_at is not null
returning id`
)

/** Those of the tasks that are archived, with their subtasks. */
export const removeAll = prepared(
  "tasks_remove_all",
  ["tasks", "origin"],
  `with recursive ${treeOf("id = any($tasks::uuid[]) and archived_at is not null")}, ${
    taskDeletion("select t.id, array[t.creator, t.assignee] as users from tasks t join tree on tree.id = t.id")
  }${changed("revoked")}`
)

/** Subtasks have the creator of their task. */
export const removeSome = prepared(
  "tasks_remove_some",
  ["creator", "origin"],
  `with ${
    taskDeletion(`select id, case when assignee <> creator then array[assignee] else '{}' end as users
  from tasks where creator between $creator::text and $creator::text order by creator, id limit 200`)
  }${changed("revoked")}`
)

/** A message that is undelivered for longer waits behind others of its recipient, and no longer keeps its task from being deleted. */
const attemptsTake = "interval '3 days'"

/** Maximum number of tasks, and roughly of steps, that the retention deletes at once. */
const slice = { tasks: 50, steps: 2_000 }

/**
 * Deletes tasks with their subtasks, in the order of their ends: those after `($ended, $id)` that ended more than `$seconds` ago. A tree
 * of tasks stays if one of them is open or ended later, has an undelivered message, or is continued by an open task, directly or
 * through finished ones; and if another transaction has locked it. Returns the last task that was looked at, if there was one.
 */
export const removeOld = prepared(
  "tasks_remove_old",
  ["seconds", "ended", "id"],
  `with recursive candidates as materialized (
  select a.task_id as id, a.completed_at
  from actors a join tasks t on t.id = a.task_id
  where a.completed_at < now() - make_interval(secs => $seconds::float8) and (a.completed_at, a.task_id) > ($ended::timestamptz, $id::uuid)
    and (t.parent_task_id is null or not exists (select from tasks p where p.id = t.parent_task_id))
  order by a.completed_at, a.task_id limit ${slice.tasks}
), tree (root, id) as (
  select id, id from candidates
  union
  select tree.root, t.id from tasks t join tree on t.parent_task_id = tree.id
), followers (root, id, distance) as (
  select root, id, 0 from tree
  union
  select f.root, t.id, f.distance + 1 from tasks t join followers f on t.continued_from = f.id where f.distance < ${chainLength}
), sized as (
  select c.id, c.completed_at, sum(n.steps) over (order by c.completed_at, c.id) - n.steps as steps_before
  from candidates c, lateral (
    select sum(a.seq) as steps from tree join actors a on a.task_id = tree.id where tree.root = c.id
  ) n
), looked_at as materialized (
  select id, completed_at from sized where steps_before < ${slice.steps}
), needed as materialized (
  select f.root from followers f join actors a on a.task_id = f.id where not ${hasEnded("a.status")}
  union
  select tree.root from tree join outbox o on o.task_id = tree.id 
  where o.due_at is not null and o.created_at > now() - ${attemptsTake}
), locked as materialized (
  select tree.root, a.task_id from tree join looked_at l on l.id = tree.root join actors a on a.task_id = tree.id
  where ${hasEnded("a.status")} and a.completed_at < now() - make_interval(secs => $seconds::float8)
    and tree.root not in (select root from needed)
  for update of a skip locked
), whole as (
  select root from locked group by root
  having count(*) = (select count(*) from tree where tree.root = locked.root)
), ${
    taskDeletion(`select t.id, array[t.creator, t.assignee] as users
  from locked l join whole on whole.root = l.root join tasks t on t.id = l.task_id`)
  }
select l.completed_at::text as ended, l.id::text, (select count(*) from hit)::integer as deleted
from looked_at l order by l.completed_at desc, l.id desc limit 1`
)
