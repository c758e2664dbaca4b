-- What made a task, unless a request to the API did, and where its questions and its result go beside the feed. Only the
-- channel reads `reply_to`: JSON that addresses a thread or a mailbox.
alter table tasks
  add column source text check (source in ('chat', 'email', 'schedule', 'webhook')),
  add column reply_channel text check (reply_channel in ('chat', 'email')),
  add column reply_to text,
  add check ((reply_channel is null) = (reply_to is null));

-- The conversations outside in which a task speaks: a thread of the team chat, the Message-ID of a mail. A message that
-- arrives in one of them concerns the newest of its tasks.
create table task_threads (
  channel text not null check (channel in ('chat', 'email')),
  key text not null,
  task_id uuid not null,
  primary key (channel, key, task_id)
);

create index task_threads_by_task on task_threads (task_id);

alter table task_threads enable row level security;
create policy owner_writes on task_threads using (caller_may_change(task_id));
