-- Tasks and reminders of later. The scheduler takes the rows whose `next_run_at` has come, and moves it in the transaction
-- of what the run causes, so that each run happens once.
create table schedules (
  id uuid primary key,
  user_id text not null,
  kind text not null check (kind in ('task', 'reminder')),
  message text not null,
  title text,
  -- When it runs: once, or again and again on the wall clocks of its time zone.
  at timestamptz(3),
  cron text,
  timezone text not null,
  -- The channel of the chat platform where results and reminders go.
  channel_id text,
  status text not null default 'active' check (status in ('active', 'paused', 'done')),
  next_run_at timestamptz(3),
  last_run_at timestamptz(3),
  last_task_id uuid,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((at is null) <> (cron is null)),
  check ((status = 'active') = (next_run_at is not null)),
  check ((status = 'done') = (ended_at is not null))
);

create index schedules_due on schedules (next_run_at) where next_run_at is not null;
create index schedules_by_user on schedules (user_id, id);
create index schedules_ended on schedules (ended_at) where ended_at is not null;

alter table schedules enable row level security;
create policy own on schedules using (user_id = caller_id() or caller_is_admin());
