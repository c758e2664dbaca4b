-- How often a subtask may ask its model; null: as often as its kind allows.
alter table tasks add column max_iterations smallint check (max_iterations > 0);

-- The parent that waits for a subtask to end.
alter table actors add column awaited_by uuid;
-- How many subtasks a parent still waits for; null when it waits for none. At zero and below it is woken: what then
-- counts is whether they have ended.
alter table actors add column subtasks_open smallint;
-- The lock under which the end of its subtasks wakes a parent: once until it has acted on it, or its time is over.
alter table actors add column resume_locked_until timestamptz(3);
