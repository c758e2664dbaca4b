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
  -- The channels where notifications go beside the feed.
  notify_by text[] not null default '{}',
  overrides text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The chat_user_id of a user whose account on the platform was deactivated.
  former_chat_user_id text,
  -- A guest of the chat platform's workspace, or of another one: no person of the team.
  is_guest boolean not null default false
);

-- Find the user of a message on the chat platform, also after its account was deactivated.
create unique index users_by_chat_user on users (chat_user_id) where chat_user_id is not null;
create unique index users_by_former_chat_user on users (former_chat_user_id) where former_chat_user_id is not null;
-- Finds the user of a mail's sender, and of a sign-in.
create index users_by_email on users (lower(email)) where email is not null;
-- Lists users in the order of their creation.
create index users_by_age on users (created_at, id);

-- Users who turned out to be the same person as another user, whose `user_id` has everything of theirs. Processes may
-- still write for the former id, and its files are moved after the transaction, so a job repeats the move for an hour and
-- deletes the row then.
create table joined_users (
  id text primary key,
  user_id text not null,
  joined_at timestamptz(3) not null default now(),
  check (id <> user_id)
);

-- Finds the users who were joined with one that is joined or erased itself.
create index joined_users_by_user on joined_users (user_id);

-- Users whose data is being deleted. A row is written before anything is deleted and removed after everything is, so one
-- that stays belongs to a deletion that was interrupted, and the service finishes it.
create table erasures (
  user_id text primary key,
  began_at timestamptz not null default clock_timestamp()
);

-- The seats of a hosted service's team. An invitation is recognised by its e-mail address, in lower case, until the first
-- sign-in, and by the identity provider's subject from then on.
create table team_members (
  id uuid primary key,
  email text not null unique,
  name text,
  role text not null check (role in ('owner', 'admin', 'member')),
  invited_by text,
  invited_at timestamptz(3) not null default now(),
  issuer text,
  subject text,
  user_id text unique,
  joined_at timestamptz(3),
  unique (issuer, subject),
  check (num_nulls(issuer, subject, user_id, joined_at) in (0, 4))
);

-- A team has one owner.
create unique index team_members_owner on team_members (role) where role = 'owner';

-- The users of removed members, by the identity provider's subject: a member who is invited again has the same user.
create table former_members (
  issuer text not null,
  subject text not null,
  user_id text not null,
  primary key (issuer, subject)
);

-- Keeps a user who was a member from being joined with another one.
create index former_members_by_user on former_members (user_id);

-- The sessions of browsers that signed in at a hosted service. A session belongs to a seat of the team and ends with it, and
-- counts only while the seat belongs to the account that signed in. The cookie's value is stored as a hash.
create table sessions (
  token_hash text primary key,
  member_id uuid not null references team_members on delete cascade,
  issuer text not null,
  subject text not null,
  created_at timestamptz(3) not null default now(),
  -- Each use moves it, up to `ends_at`.
  expires_at timestamptz(3) not null,
  ends_at timestamptz(3) not null
);

-- Ends the sessions of a member who is removed.
create index sessions_by_member on sessions (member_id);
-- Deletes expired ones.
create index sessions_by_expiry on sessions (expires_at);

-- The chat platform's channels and who is in them, as the last sync saw them. A channel is a project once our bot is in it.
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

-- Lists the channels of a user.
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

-- Finds the messages of a user who is exported or erased.
create index channel_messages_by_user on channel_messages (user_id);
-- Deletes old messages.
create index channel_messages_by_age on channel_messages (said_at);
