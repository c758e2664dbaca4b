-- Bulk operations restore archived tasks and delete them.
alter table bulk_operations drop constraint bulk_operations_action_check,
  add constraint bulk_operations_action_check check (action in ('cancel', 'retry', 'archive', 'restore', 'delete'));

-- GET /tasks?archived=true, and the bulk operations on archived tasks.
create index tasks_archived on tasks (id) where archived_at is not null;
-- Whether an open task continues one that TASK_RETENTION_DAYS would delete. Most tasks continue none.
create index tasks_by_continued on tasks (continued_from) where continued_from is not null;
-- NOTIFICATION_RETENTION_DAYS: what was read longest ago.
create index notifications_by_read on notifications (read_at) where read_at is not null;

-- By default a table is vacuumed when a fifth of it has changed: of a million tasks, after 200,000 dead rows, which every claim
-- and every look-up of a due task passes meanwhile. These change with each step, so a fixed number counts instead, whatever the
-- table's size.
alter table actors set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);
alter table inbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
alter table inbound_messages set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
alter table outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
-- Inserted, read for a while, and deleted long after: what old rows left is used again soon, and new pages are marked as
-- visible and frozen while they are in memory.
alter table steps set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
alter table tasks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
alter table notifications set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
