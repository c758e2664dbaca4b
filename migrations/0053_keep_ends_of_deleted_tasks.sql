-- What the history (GET /system/history) needs of a task that was deleted before the hour of its end was summed up in `task_hours`.
-- A row names no person and has no text. The job deletes the rows of an hour once it has summed up that hour.
create table deleted_ends (
  completed_at timestamptz not null, created_at timestamptz not null, started_at timestamptz,
  task_type text not null, status text not null,
  model_calls integer not null, input_tokens integer not null, output_tokens integer not null, cost double precision
);
-- For the ends of an hour.
create index deleted_ends_by_time on deleted_ends (completed_at);
alter table deleted_ends enable row level security;

-- Which ends the sums of usage have, and will have until the caller commits: a deletion adds what they lack.
create function usage_until() returns timestamptz
language sql security definer set search_path from current as $$
  select until from usage_sums for share
$$;
