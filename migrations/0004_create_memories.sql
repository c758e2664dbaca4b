-- One row per user with memories, which every change to them goes through: a writer raises `version` from the number
-- that it looked at, so that of two who looked at the same memories one looks again. A reader that keeps vectors asks
-- for what is newer than its own version, and begins anew when something was removed.
create table memory_owners (
  user_id text primary key,
  version integer not null,
  removals integer not null default 0,
  memories integer not null
);

create table memories (
  id uuid primary key,
  user_id text not null,
  content text not null,
  tags text[] not null default '{}',
  -- The task of which it tells, when it was saved by the end of one and not by an agent.
  task_id uuid,
  -- Vectors are comparable only where provider, model and dimensions are the same. They have length 1.
  model text not null,
  dimensions integer not null,
  vector real[] not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- Compressing random digits costs time and saves nothing.
alter table memories alter column vector set storage external;

create index memories_by_change on memories (user_id, version, id);
create index memories_by_model on memories (user_id, model, dimensions);

-- Tasks whose end was looked at for a memory, so that each gives one at most.
create table remembered_tasks (
  task_id uuid primary key,
  at timestamptz(3) not null default clock_timestamp()
);

create index remembered_tasks_by_age on remembered_tasks (at);

-- Completed tasks by time, for whoever remembers them. A running task's updates leave it alone.
create index actors_completed on actors (completed_at, task_id) where completed_at is not null and error is null;
