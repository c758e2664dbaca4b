-- How often in a row a process has ended while it ran the task's current step, and at how many of these deaths no other
-- task was under suspicion. The next step of the task sets both to 0.
alter table actors add column process_deaths smallint not null default 0;
alter table actors add column lone_deaths smallint not null default 0;
-- How the current claim was made: the process that held the task has ended ('recovered') or still runs ('moved'), or the
-- task was claimed as the only suspect of its process ('alone'). Null: it was free.
alter table actors add column claim_kind text check (claim_kind in ('recovered', 'moved', 'alone'));

-- From the second death in a row on a task is a suspect, and its `line` is the empty text: the queue of suspects, from
-- which each runner claims one at a time.
