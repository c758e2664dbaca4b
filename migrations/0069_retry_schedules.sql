-- A run that fails is tried again at `retry_at`, so that it does not hold up the runs of other schedules.
alter table schedules
  add column failures integer not null default 0,
  add column retry_at timestamptz(3);

alter table schedules add column due_at timestamptz(3)
  generated always as (case when next_run_at is not null then greatest(next_run_at, retry_at) end) stored;

drop index schedules_due;
create index schedules_due on schedules (due_at, id) where due_at is not null;
