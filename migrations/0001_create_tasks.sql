-- What was asked for. Written once when a door accepts a request, and hardly ever touched again.
create table tasks (
  id uuid primary key,
  created_at timestamptz(3) not null,
  creator text not null,
  assignee text,
  -- Null: the first line of the description.
  title text,
  description text not null,
  context text,
  task_type text not null check (task_type in ('task', 'subtask')),
  agent_type text check (agent_type in ('general', 'research', 'tool-specialist')),
  parent_task_id uuid,
  project_id text,
  attachments text[] not null default '{}',
  continued_from uuid,
  token_budget integer check (token_budget > 0),
  webhook_type text,
  webhook_payload text,
  webhook_headers text,
  source_ip text,
  archived_at timestamptz(3)
);

create index tasks_by_parent on tasks (parent_task_id, id) where parent_task_id is not null;
create index tasks_by_creator on tasks (creator, id);

-- The actor row: the small hot row of each task. It is apart from `tasks` so that a step rewrites some 200 bytes and
-- not the request, and its columns are ordered so that those that a step changes stand together (PostgreSQL logs only
-- the changed middle of a row that stays on its page). No foreign keys here and below: a key's check would lock the
-- task's row at every step; whoever removes a task removes its rows.
create table actors (
  task_id uuid primary key,
  shard smallint not null,
  creator text not null,
  started_at timestamptz(3),
  epoch integer not null default 0,
  seq integer not null default 0,
  updated_at timestamptz(3) not null,
  iteration_count integer not null default 0,
  recursion_count integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  model_calls integer not null default 0,
  tool_calls integer not null default 0,
  progress smallint not null default 0 check (progress between 0 and 100),
  attempts smallint not null default 0,
  -- The step that began the current run: with the task's id, the id of its queue job.
  job_seq integer,
  inbox_sent integer not null default 0,
  wake_at timestamptz(3),
  -- Until when a live view in some process wants to be told of each step.
  watched_until timestamptz(3),
  completed_at timestamptz(3),
  status text not null default 'pending'
    check (status in ('pending', 'running', 'completed', 'failed', 'waiting_input', 'waiting_subagents')),
  runner text,
  question text,
  last_tool_call_id text,
  error text,
  plan text
) with (fillfactor = 60);

-- The waker's index: users with something to do, each with the oldest first.
create index actors_due on actors (creator, wake_at) include (shard, task_id) where wake_at is not null;
-- Lists of failed and of waiting tasks. Their conditions name no column that a running task changes, so that its
-- updates stay within their page and touch no index.
create index actors_failed on actors (task_id) where error is not null;
create index actors_waiting on actors (task_id) where last_tool_call_id is not null;

-- The journal: one row a step, appended and never rewritten. `body` is JSON in a text column, because jsonb refuses
-- some valid JSON (NUL characters, lone surrogates) that models and tools produce.
create table steps (
  task_id uuid not null,
  seq integer not null,
  at timestamptz(3) not null default clock_timestamp(),
  body text not null,
  primary key (task_id, seq)
);

-- Commands for a task, each written together with its actor's wake-up and deleted by the step that acts on it.
-- `key` makes sending one twice the same as sending it once.
create table inbox (
  task_id uuid not null,
  key text not null,
  number integer not null,
  body text not null,
  sent_at timestamptz(3) not null default clock_timestamp(),
  primary key (task_id, key)
);

-- Answers already given to an Idempotency-Key, for 24 hours.
create table idempotency_keys (
  caller text not null,
  key text not null,
  digest text not null,
  task_id uuid not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (caller, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);
