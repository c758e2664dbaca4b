-- Who works with the service.
create table users (
  id text primary key,
  name text, display_name text, email text, title text, timezone text, responsibilities text, avatar_url text,
  role text not null default 'member' check (role in ('owner', 'admin', 'member')),
  is_system boolean not null default false,
  -- The channels where notifications go beside the feed.
  notify_by text[] not null default '{}',
  -- The fields that a person set: no sync with the chat platform writes them.
  overrides text[] not null default '{}',
  chat_user_id text unique,
  -- The chat_user_id of a user whose account on the chat platform was deactivated.
  former_chat_user_id text,
  -- A guest of the chat platform's workspace, or of another one: no person of the team.
  is_guest boolean not null default false,
  created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now()
);

-- The user of a mail's sender, and of a sign-in.
create index users_by_email on users (lower(email)) where email is not null;

-- Users who turned out to be the same person as another user, whose `user_id` has everything of theirs. Processes may
-- still write for the former id, and its files are moved after the transaction: a job repeats the move for an hour and
-- deletes the row then.
create table joined_users (
  id text primary key, user_id text not null, joined_at timestamptz(3) not null default now(), check (id <> user_id)
);

-- Users whose data is being deleted. The row is written before and removed after everything else, so one that stays
-- belongs to a deletion that was interrupted, and the service finishes it.
create table erasures (user_id text primary key, began_at timestamptz not null default clock_timestamp());

-- The seats of a hosted service's team. An invitation is recognised by its e-mail address, in lower case, until the first
-- sign-in, and by the identity provider's subject from then on.
create table team_members (
  id uuid primary key,
  email text not null unique, name text, role text not null check (role in ('owner', 'admin', 'member')),
  invited_by text, invited_at timestamptz(3) not null default now(),
  issuer text, subject text, user_id text unique, joined_at timestamptz(3),
  unique (issuer, subject),
  check (num_nulls(issuer, subject, user_id, joined_at) in (0, 4))
);

-- A team has one owner.
create unique index team_members_owner on team_members (role) where role = 'owner';

-- The users of removed members: a member who is invited again has the same user.
create table former_members (issuer text, subject text, user_id text not null, primary key (issuer, subject));

-- The sessions of browsers that signed in at a hosted service, by the hash of the cookie's value. A session counts only
-- while the seat belongs to the account that signed in. Each use moves `expires_at`, up to `ends_at`.
create table sessions (
  token_hash text primary key,
  member_id uuid not null references team_members on delete cascade,
  issuer text not null, subject text not null,
  expires_at timestamptz(3) not null, ends_at timestamptz(3) not null
);

-- Ends the sessions of a member, also by the foreign key.
create index sessions_by_member on sessions (member_id);

-- The chat platform's channels, as the last sync saw them. A channel is a project once our bot is in it.
create table channels (
  channel_id text primary key,
  id uuid not null unique,
  name text not null, topic text not null, purpose text not null,
  is_private boolean not null, is_active boolean not null, is_member boolean not null, member_count integer not null,
  project_id text unique, summary text, last_synced_at timestamptz(3)
);

create table channel_members (
  channel_id text references channels on delete cascade, user_id text,
  role text, responsibilities text, joined_at timestamptz(3) not null default now(),
  primary key (channel_id, user_id)
);

-- What was said in a channel that is no task, until it is part of the summary: at most 200 messages a channel.
create table channel_messages (
  channel_id text references channels on delete cascade, ts text,
  user_id text, content text not null, said_at timestamptz(3) not null,
  primary key (channel_id, ts)
);
