-- Who works with the service. A name in `overrides` is a field that a person set: no sync with a chat platform writes it.
create table users (
  id text primary key,
  name text,
  display_name text,
  email text,
  chat_user_id text,
  title text,
  timezone text,
  role text not null default 'member' check (role in ('owner', 'admin', 'member')),
  responsibilities text,
  avatar_url text,
  is_system boolean not null default false,
  notify_by text[] not null default '{}',
  overrides text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create unique index users_by_chat_user on users (chat_user_id) where chat_user_id is not null;
create index users_by_age on users (created_at, id);

insert into users (id, name, role, created_at, updated_at)
select creator, creator, case creator when 'default' then 'owner' else 'member' end, min(created_at), min(created_at)
from tasks group by creator;

-- The feed of each user. The row of a task's step keeps no words: what it says is read out of the step and the task.
-- Only a notification that no step caused has words of its own. Its key stands in an order in which all of a user's are
-- listed, and the unread ones by themselves, with one index to write.
create table notifications (
  id uuid not null,
  task_id uuid,
  seq integer,
  is_read boolean not null generated always as (read_at is not null) stored,
  read_at timestamptz(3),
  user_id text not null,
  kind text check (kind in ('completion', 'question', 'failure', 'reminder')),
  title text,
  body text,
  primary key (user_id, is_read, id),
  check ((seq is null) = (kind is not null) and (seq is null) = (title is not null))
);

-- The id of the `place`th notification of a task's step: a UUIDv7 (RFC 9562) of the step's time, so that ids sort by it.
-- A step causes the same ids whoever asks, so they are found again through the step, without an index.
create function notification_id(at timestamptz, task_id uuid, seq integer, place integer) returns uuid
language sql immutable parallel safe
return (
  lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(seq % 4096), 3, '0')
  || '8' || lpad(to_hex(place % 4096), 3, '0') || right(task_id::text, 12)
)::uuid;
