-- What was asked for: written once, and hardly ever changed again. Columns of 8 bytes come before smaller ones, here and in
-- `steps`, so that no row has gaps for their alignment.
create table tasks (
  -- A UUIDv7: ids sort by the time of their creation.
  id uuid primary key,
  created_at timestamptz(3) not null,
  -- The transaction that inserted it: the task's creation is its first event. Of an archived task, the one that archived it.
  xact_id xid8 default pg_current_xact_id(),
  -- Whether an answer without a right to the task made the assignee it, as everybody's in the team chat of a self-hosted
  -- service may: such an assignee approves nothing.
  assigned_by_answer boolean not null default false,
  creator text not null, assignee text,
  task_type text not null check (task_type in ('task', 'subtask')),
  agent_type text check (agent_type in ('general', 'research', 'tool-specialist')),
  -- Which tools its agent has: all, those that change only the sender's own files and memories, or those that only read.
  -- Less than all where the service does not know who sent the request.
  tool_access text not null default 'all' check (tool_access in ('all', 'own', 'read')),
  attachments text[] not null default '{}',
  -- Without a title, the first line of the description is shown.
  title text, description text not null, context text,
  parent_task_id uuid, continued_from uuid, project_id text,
  token_budget integer check (token_budget > 0),
  -- How often a subtask may ask its model; null: as often as its kind allows.
  max_iterations smallint check (max_iterations > 0),
  -- What made the task, unless a request to the API did, and the schedule, whether or not that is there still.
  source text check (source in ('chat', 'email', 'schedule', 'webhook')),
  schedule_id uuid, webhook_type text, webhook_payload text, webhook_headers text, source_ip text,
  -- Where its questions and its result go beside the feed. Only the channel reads `reply_to`: JSON that addresses a thread
  -- or a mailbox.
  reply_channel text check (reply_channel in ('chat', 'email')), reply_to text,
  -- How many mails may still go to its sender, whom the service does not know: one for each mail of theirs, so that nobody
  -- can have mails sent to a forged address. Null: any number.
  replies_left smallint check (replies_left >= 0),
  archived_at timestamptz(3),
  check ((reply_channel is null) = (reply_to is null))
);

-- Lists the subtasks of a task; cancels, deletes and counts with them.
create index tasks_by_parent on tasks (parent_task_id, id) where parent_task_id is not null;
-- Lists, counts, limits and deletes the tasks of a user.
create index tasks_by_creator on tasks (creator, id);
-- Lists the tasks of an assignee. Most tasks have none, and are not in it; the same holds for the next two.
create index tasks_by_assignee on tasks (assignee, id) where assignee is not null;
-- GET /tasks?schedule_id= and ?webhook_type=.
create index tasks_by_schedule on tasks (schedule_id, id) where schedule_id is not null;
create index tasks_by_webhook on tasks (webhook_type, id) where webhook_type is not null;
-- GET /tasks without filters, and with task_type=subtask: neither index has the rows that its list leaves out.
create index tasks_listed on tasks (id) where task_type = 'task' and archived_at is null;
create index tasks_subtasks on tasks (id) where task_type = 'subtask';
-- The order of the events of all tasks (GET /events): by transaction, then by task, then by step. A transaction commits
-- after it got its number, so a reader takes only rows below the oldest open transaction: those are complete, and none of
-- them appears later. A row without a number is no event. A transaction has few rows: the rest of the order is sorted.
create index tasks_by_xact on tasks (xact_id);

-- The words of tasks (GET /tasks?q=). A long text is in the index of its sequences of three characters, which takes log in
-- proportion to the text. Of a short one, as most requests are, the other index keeps a signature of 48 bytes; it leads to
-- some texts in vain, and comparing those costs little. Both extensions come with PostgreSQL and need no superuser; without
-- one of them, a search reads all tasks.
do $$
declare
  extension text;
begin
  foreach extension in array array['pg_trgm', 'intarray'] loop
    begin
      execute format('create extension if not exists %I', extension);
    exception when others then
      raise notice 'Searches of % tasks have no index: %', case extension when 'intarray' then 'short' else 'long' end, sqlerrm;
    end;
  end loop;

  -- What contains a text also has the text's keys.
  create function search_keys(words text) returns integer[] language sql immutable strict parallel safe cost 1000 return (
    select coalesce(array_agg(hashtext(three)), '{}') from (
      select one || lead(one) over following || lead(one, 2) over following as three
      from string_to_table(words, null) as characters (one)
      window following as (rows between current row and 2 following)
    ) sequences where three is not null
  );

  if exists (select from pg_extension where extname = 'intarray') then
    create index tasks_by_keys on tasks
      using gist (search_keys(lower(coalesce(title, '') || ' ' || description)) gist__intbig_ops (siglen = 48))
      where task_type = 'task' and char_length(lower(coalesce(title, '') || ' ' || description)) <= 400;
  end if;

  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index tasks_by_words on tasks
      using gist (lower(coalesce(title, '') || ' ' || description) gist_trgm_ops (siglen = 64))
      where task_type = 'task' and char_length(lower(coalesce(title, '') || ' ' || description)) > 400;
  end if;
end $$;

-- By which the planner knows how frequent a word is: of a partial index it keeps no such statistics.
create statistics tasks_words on (lower(coalesce(title, '') || ' ' || description)) from tasks;

-- The small hot row of each task, apart from `tasks` so that a step rewrites some 150 bytes and not the request. PostgreSQL
-- logs only the changed middle of a row that stays on its page, so columns that change together are neighbours: `progress`
-- to `seq` in a step of the model, `updated_at` to `tool_calls` in one with results, `updated_at` to `runner` in a claim.
-- There are no foreign keys here and below: a key's check would lock the task's row at every step; whoever deletes a task
-- deletes its rows.
create table actors (
  task_id uuid primary key,
  shard smallint not null,
  -- How often in a row a process has ended while it ran the task's current step, and at how many of these deaths no other
  -- task was under suspicion. The next step of the task sets both to 0.
  process_deaths smallint not null default 0, lone_deaths smallint not null default 0,
  progress smallint not null default 0 check (progress between 0 and 100),
  iteration_count integer not null default 0,
  input_tokens integer not null default 0, output_tokens integer not null default 0,
  model_calls integer not null default 0,
  updated_at timestamptz(3) not null,
  -- The number of the last step.
  seq integer not null default 0,
  tool_calls integer not null default 0,
  -- Raised by each claim, and by what takes the task from its actor: a writer with another epoch changes nothing.
  epoch integer not null default 0,
  attempts smallint not null default 0,
  asks_approval boolean not null default false,
  -- The step that began the current run: with the task's id, the id of its queue job.
  job_seq integer,
  started_at timestamptz(3),
  status text not null default 'pending'
    check (status in ('pending', 'running', 'completed', 'failed', 'waiting_input', 'waiting_subagents')),
  runner text,
  -- The runner that has queued the task: due, and waiting for a free slot of that runner. From the second death in a row on
  -- a task is a suspect: the empty text is the queue of suspects, from which each runner claims one at a time.
  queued_by text,
  -- From when on it has something to do; null: only a command wakes it.
  wake_at timestamptz(3),
  completed_at timestamptz(3),
  creator text not null,
  -- How many commands were ever sent to it, and the step with its plan.
  inbox_sent integer not null default 0, plan_seq integer,
  -- How the current claim was made: the process that held the task has ended ('recovered') or still runs ('moved'), the task
  -- was claimed as the only suspect of its process ('alone'), for the first time after a retry, or by the
  -- statement that inserted it. Null: it was free.
  claim_kind text check (claim_kind in ('recovered', 'moved', 'alone', 'retried', 'inserted')),
  -- Until when other processes are notified of each step, and the model's text is streamed.
  watched_until timestamptz(3),
  -- What its model calls cost by the prices at their time; null without a call, and as soon as one had no price.
  cost double precision,
  -- A pending question, what it offers to choose from, and the call that asks.
  question text, choices text[], last_tool_call_id text,
  error text,
  -- The parent that waits for a subtask to end. Of a parent, how many it still waits for, null when it waits for none (at
  -- zero and below it is woken: what then counts is whether they have ended), and the lock under which their end wakes it:
  -- once until it has acted on it, or its time is over.
  awaited_by uuid, subtasks_open smallint, resume_locked_until timestamptz(3)
  -- A group of steps changes many rows of a page at once, and the versions before go only with the next: room for a second
  -- version of each row, so that it stays in its page and no index changes.
) with (fillfactor = 45);

-- Claims. A task is in one of these indexes at a time: by its time while it sleeps and until its runner has scanned it, so
-- that a scan reads what has come due since the last one and nothing of what sleeps; then in its runner's queue, where each
-- user's tasks are together with the oldest first. One index can't have both orders.
create index actors_due on actors (wake_at) include (shard, creator, task_id)
  where wake_at is not null and queued_by is null;
create index actors_queued on actors (queued_by, creator, wake_at) include (shard, task_id)
  where wake_at is not null and queued_by is not null;
-- GET /tasks?status=failed and ?status=waiting_input, and the waiting task of a conversation. Their conditions name no
-- column that a running task changes, so that its updates stay within their page and touch no index. The same holds for `actors_ended`.
create index actors_failed on actors (task_id) where error is not null;
create index actors_waiting on actors (task_id) where last_tool_call_id is not null;
-- The job that remembers completed tasks, and the history of the team's work.
create index actors_ended on actors (completed_at) where completed_at is not null;

-- The journal: one row a step, appended and never rewritten. `body` is JSON in a text column, because jsonb refuses some
-- valid JSON (NUL characters, lone surrogates) that models and tools produce.
create table steps (
  task_id uuid,
  at timestamptz(3) not null default clock_timestamp(),
  xact_id xid8 default pg_current_xact_id(),
  seq integer,
  body text not null,
  -- In the step `actors.plan_seq` alone, so that lists of tasks read no JSON.
  plan text,
  -- Of a step that says that a call of the model failed: when it is made again.
  retry_at timestamptz(3),
  primary key (task_id, seq)
);

-- The order of the events of all tasks, as `tasks_by_xact`.
create index steps_by_xact on steps (xact_id);

-- Texts that the prompts of many tasks have in common: the system prompt with blanks for what differs, skills, the tools. The
-- steps name them by their numbers. There is one for each version of these texts, so they are few, and none is deleted.
create table prompt_texts (
  id integer generated by default as identity primary key, digest bytea not null unique, text text not null
);

-- Commands for a task, each written together with its actor's wake-up and deleted by the step that acts on it.
-- `key` makes sending one twice the same as sending it once.
create table inbox (task_id uuid, key text, number integer not null, body text not null, primary key (task_id, key));

-- The conversations outside in which a task speaks: a thread of the team chat, the Message-ID of a mail. A message that
-- arrives in one of them concerns the newest of its tasks.
create table task_threads (
  channel text check (channel in ('chat', 'email')), key text, task_id uuid,
  -- Whom a mail went to that an agent has written, in lower case: what they answer reaches its task. Null: any other mail.
  addresses text[],
  -- The call whose question this mail asked. Only a reply to that mail approves what the call would do.
  call text,
  primary key (channel, key, task_id)
);

-- Passes the conversations on to a task that continues another; deletes them with their task.
create index task_threads_by_task on task_threads (task_id);

-- Answers already given to an Idempotency-Key, for 24 hours. The hourly housekeeping deletes older ones.
create table idempotency_keys (
  caller text, key text, digest text not null, task_id uuid not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (caller, key)
);

-- Changes of all tasks that match a filter. They are made slice by slice: `slice` has the tasks of the current one, so that
-- after a crash exactly these are looked at again, and each task is counted once. Kept for 30 days.
create table bulk_operations (
  id uuid primary key,
  -- The caller, with the role at the request; a changed seat ends the operation.
  creator text not null, role text not null,
  action text not null check (action in ('cancel', 'retry', 'archive')), filter text not null, reason text,
  idempotency_key text, digest text not null,
  -- Tasks before this one, in the order of lists, have been looked at.
  cursor uuid not null,
  slice uuid[],
  matched integer not null default 0, done integer not null default 0, failed integer not null default 0, error text,
  created_at timestamptz(3) not null default now(), finished_at timestamptz(3),
  unique (creator, idempotency_key)
);
