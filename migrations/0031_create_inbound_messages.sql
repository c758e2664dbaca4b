-- What arrived from outside and waits to be processed, or was: the durable queue of every ingress. `position` is the order
-- of arrival. `due_at` is when a message is taken next: a pending one after its pause, one that is being processed when
-- its lease ends. The body is null once it was deleted with its task.
create table inbound_messages (
  id uuid primary key,
  position bigint generated always as identity,
  source text not null check (source in ('chat', 'webhook')),
  type text not null,
  delivery_id text,
  ordering_key text,
  body bytea,
  headers text not null,
  content_type text,
  url text not null,
  source_ip text,
  state text not null default 'pending' check (state in ('pending', 'processing', 'failed', 'done')),
  attempts smallint not null default 0,
  due_at timestamptz default now(),
  last_error text,
  task_id uuid,
  received_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((due_at is not null) = (state in ('pending', 'processing'))),
  check ((ended_at is not null) = (state in ('failed', 'done')))
);

create unique index inbound_messages_by_delivery on inbound_messages (source, type, delivery_id)
  where delivery_id is not null;
create index inbound_messages_due on inbound_messages (source, type, due_at, position) where due_at is not null;
create index inbound_messages_by_key on inbound_messages (source, ordering_key, position)
  where due_at is not null and ordering_key is not null;
create index inbound_messages_by_source on inbound_messages (source, id);
create index inbound_messages_failed on inbound_messages (source, ended_at) where state = 'failed';
create index inbound_messages_ended on inbound_messages (ended_at) where ended_at is not null;
create index inbound_messages_by_task on inbound_messages (task_id) where task_id is not null;

-- No policy: only the service reads and writes it.
alter table inbound_messages enable row level security;
