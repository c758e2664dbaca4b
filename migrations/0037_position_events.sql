-- The order of the events of all tasks (GET /events). A transaction commits after it got its number, so a reader takes
-- only rows below the oldest open transaction: those are complete, and none of them appears later. Rows from before have
-- no number; no reader gets them.
alter table steps add column xact_id xid8;
alter table steps alter column xact_id set default pg_current_xact_id();
create index steps_by_xact on steps (xact_id) where xact_id is not null;

-- The creation of a task is its first event.
alter table tasks add column xact_id xid8;
alter table tasks alter column xact_id set default pg_current_xact_id();
create index tasks_by_xact on tasks (xact_id) where xact_id is not null;
