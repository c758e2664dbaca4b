/**
 * Common table expressions that delete the tasks of `selected (id, users)`, and of `users` the notifications about them.
 * `hit` has the deleted actors.
 */
export const taskDeletion = (selected: string): string =>
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
), tasks_deleted as (
  delete from tasks t using doomed where t.id = doomed.id
)`
