-- Bulk operations restore archived tasks and delete them.
alter table bulk_operations drop constraint bulk_operations_action_check,
  add constraint bulk_operations_action_check check (action in ('cancel', 'retry', 'archive', 'restore', 'delete'));

-- GET /tasks?archived=true, and the bulk operations on archived tasks.
create index tasks_archived on tasks (id) where archived_at is not null;
-- Whether an open task continues one that TASK_RETENTION_DAYS would delete. Most tasks continue none.
create index tasks_by_continued on tasks (continued_from) where continued_from is not null;
-- NOTIFICATION_RETENTION_DAYS: what was read longest ago.
create index notifications_by_read on notifications (read_at) where read_at is not null;
