import { eventFacts, outboxSignal, publishEvents, withTask } from "../../Delivery/Outbox.ts"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { changed, treeOf } from "./CommandStatements.ts"

/**
 * Common table expressions that delete the tasks of `selected (id, users)`, and of `users` the notifications about them.
 * `hit` has the deleted actors. A mark keeps a memory of a task from being saved after its deletion, and is its last event.
 */
const taskDeletion = (selected: string): string =>
  `doomed as materialized (
  ${selected}
), hit as (
  delete from actors a using doomed where a.task_id = doomed.id returning a.task_id, a.shard
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

export const remove = prepared(
  "tasks_remove",
  ["task", "origin"],
  `with recursive ${treeOf("= $task::uuid")}, ${
    taskDeletion(`select t.id, array[t.creator, t.assignee] as users from tasks t join tree on tree.id = t.id
  where (select archived_at is not null from tasks root where root.id = $task::uuid)`)
  }${changed("revoked")}`
)

/** Subtasks have the creator of their task. */
export const removeSome = prepared(
  "tasks_remove_some",
  ["creator", "origin"],
  `with ${
    taskDeletion(`select id, case when assignee <> creator then array[assignee] else '{}' end as users
  from tasks where creator = $creator::text order by id limit 200`)
  }${changed("revoked")}`
)
