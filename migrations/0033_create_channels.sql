-- The chat platform's channels and who is in them, as the last sync saw them. A channel is a project once our bot is in it.
-- `former_chat_user_id` is that of a user whose account on the platform was deactivated.
alter table users add column former_chat_user_id text;
create unique index users_by_former_chat_user on users (former_chat_user_id) where former_chat_user_id is not null;
create index users_by_email on users (lower(email)) where email is not null;

create table channels (
  channel_id text primary key,
  id uuid not null unique,
  name text not null,
  topic text not null,
  purpose text not null,
  is_private boolean not null,
  is_active boolean not null,
  is_member boolean not null,
  member_count integer not null,
  project_id text unique,
  summary text,
  summarized_at timestamptz(3),
  last_synced_at timestamptz(3)
);

create table channel_members (
  channel_id text not null references channels on delete cascade,
  user_id text not null,
  role text,
  responsibilities text,
  joined_at timestamptz(3) not null default now(),
  primary key (channel_id, user_id)
);

create index channel_members_by_user on channel_members (user_id);

-- What was said in a channel that is no task, until it is part of the summary.
create table channel_messages (
  channel_id text not null references channels on delete cascade,
  ts text not null,
  thread_ts text,
  user_id text,
  content text not null,
  said_at timestamptz(3) not null,
  primary key (channel_id, ts)
);

create index channel_messages_by_user on channel_messages (user_id);
create index channel_messages_by_age on channel_messages (said_at);

-- A caller sees the own memberships, so that a private channel is visible to its members.
create function caller_is_in_channel(channel text) returns boolean language sql stable parallel safe
return exists (select from channel_members where channel_id = channel and user_id = caller_id());

alter table channels enable row level security;
create policy team_reads on channels for select
  using (caller_is_admin() or (caller_id() is not null and (not is_private or caller_is_in_channel(channel_id))));
create policy admins on channels using (caller_is_admin());

-- Whoever sees a channel sees its members through the service.
alter table channel_members enable row level security;
create policy own on channel_members for select using (user_id = caller_id());
create policy admins on channel_members using (caller_is_admin());

-- No policy: only the service reads and writes it.
alter table channel_messages enable row level security;
