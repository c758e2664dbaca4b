-- Tasks and reminders of later. The scheduler takes the rows whose time has come, and moves it in the transaction of what
-- the run causes, so that each run happens once.
create table schedules (
  id uuid primary key,
  user_id text not null,
  kind text not null check (kind in ('task', 'reminder')), message text not null, title text,
  -- When it runs: once, or again and again on the wall clocks of its time zone. `every` has the words in which a recurrence
  -- was given, shown in place of its cron.
  at timestamptz(3), cron text, timezone text not null, every text,
  -- Where results and reminders go on the chat platform, and the thread in which the schedule was asked for.
  channel_id text, thread_ts text,
  status text not null default 'active' check (status in ('active', 'paused', 'done')),
  next_run_at timestamptz(3), last_run_at timestamptz(3), last_task_id uuid,
  created_at timestamptz(3) not null default now(), ended_at timestamptz(3),
  -- A run that fails is tried again at `retry_at`, so that it does not hold up the runs of other schedules.
  failures integer not null default 0, retry_at timestamptz(3),
  due_at timestamptz(3)
    generated always as (case when next_run_at is not null then greatest(next_run_at, retry_at) end) stored,
  check ((at is null) <> (cron is null)),
  check ((status = 'active') = (next_run_at is not null)),
  check ((status = 'done') = (ended_at is not null))
);

-- Takes the schedules that are due.
create index schedules_due on schedules (due_at, id) where due_at is not null;
-- Lists and limits the schedules of a user.
create index schedules_by_user on schedules (user_id, id);
