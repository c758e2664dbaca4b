-- The order of the events of all tasks (GET /events), in a table of its own: seq 0 is the creation of a task, any other
-- number a step. It is unlogged, because logged indexes took 0.7 kB of write-ahead log a task. A crash of the server
-- empties it, so it counts as complete only with its row of transaction 0; without that row, as after this migration, the
-- service fills it from `tasks` and `steps` (src/Task/EventPositions.ts).
create unlogged table event_positions (
  xact_id xid8 not null,
  task_id uuid not null,
  seq integer not null,
  primary key (xact_id, task_id, seq)
);

alter table event_positions enable row level security;
create policy team_reads on event_positions for select using (caller_id() is not null);

drop index steps_by_xact;
drop index tasks_by_xact;

-- Requests write tasks and steps too, and may only read this table: hence `security definer`.
create function position_step() returns trigger language plpgsql security definer set search_path from current as $$
begin
  insert into event_positions values (new.xact_id, new.task_id, new.seq);
  return new;
end $$;

create function position_task() returns trigger language plpgsql security definer set search_path from current as $$
begin
  insert into event_positions values (new.xact_id, new.id, 0);
  return new;
end $$;

create function forget_step() returns trigger language plpgsql security definer set search_path from current as $$
begin
  delete from event_positions where xact_id = old.xact_id and task_id = old.task_id and seq = old.seq;
  return null;
end $$;

create function forget_task() returns trigger language plpgsql security definer set search_path from current as $$
begin
  delete from event_positions where xact_id = old.xact_id and task_id = old.id and seq = 0;
  return null;
end $$;

create trigger steps_position before insert on steps
for each row when (new.xact_id is not null) execute function position_step();
create trigger tasks_position before insert on tasks
for each row when (new.xact_id is not null) execute function position_task();
create trigger steps_forget after delete on steps
for each row when (old.xact_id is not null) execute function forget_step();
create trigger tasks_forget after delete on tasks
for each row when (old.xact_id is not null) execute function forget_task();
