-- What arrived from outside and waits to be processed, or was: the durable queue of every ingress (src/Queue).
-- `position` is the order of arrival. The body is null once it was deleted with its task.
create table inbound_messages (
  id uuid primary key,
  position bigint generated always as identity,
  source text not null,
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
  epoch integer not null default 0,
  due_at timestamptz default now(),
  last_error text,
  task_id uuid,
  received_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Who sent it: for chat, the platform's id of the person, as long as the content is kept, so that an erasure finds it.
  sender text,
  -- False where anybody could have sent it: its task gets tools that only read.
  is_verified boolean not null default true,
  -- The member whose task it becomes: who has sent it with a token. Null: nobody has signed in, as always if self-hosted.
  creator text,
  check ((due_at is not null) = (state in ('pending', 'processing'))),
  check ((ended_at is not null) = (state in ('failed', 'done')))
);

-- A delivery that arrives again changes nothing.
create unique index inbound_messages_by_delivery on inbound_messages (source, type, delivery_id)
  where delivery_id is not null;
-- Claims: messages without a key by their time; of those with a key, the other index has the oldest first. One index for
-- both would put all messages of a long queue before those that may be claimed.
create index inbound_messages_due on inbound_messages (source, type, ordering_key, due_at, position) where due_at is not null;
create index inbound_messages_by_key on inbound_messages (source, ordering_key, position)
  where due_at is not null and ordering_key is not null;
-- Lists the messages of an ingress.
create index inbound_messages_by_source on inbound_messages (source, id);
-- Counts and lists failed messages.
create index inbound_messages_failed on inbound_messages (source, ended_at) where state = 'failed';
-- Deletes old messages.
create index inbound_messages_ended on inbound_messages (ended_at) where ended_at is not null;
-- Empties the messages of a deleted task.
create index inbound_messages_by_task on inbound_messages (task_id) where task_id is not null;
-- Empty, for erasures, what a user sent and what would make more tasks.
create index inbound_messages_by_sender on inbound_messages (sender) where sender is not null;
create index inbound_messages_by_creator on inbound_messages (creator) where creator is not null and state <> 'done';

-- What was done once in the team chat and is not done again: the messages that made or answered tasks, the channels in
-- which the service introduced itself, the strangers who got their answer. A claim is written in the transaction of what
-- it claims. Without an end it is kept.
create table chat_claims (
  key text primary key,
  expires_at timestamptz
);

-- Deletes expired claims.
create index chat_claims_expired on chat_claims (expires_at) where expires_at is not null;

-- What became of each mail of the inbox, so that it acts once: by its UID under the mailbox's UIDVALIDITY, and by its
-- Message-ID, which does not change when the server assigns new UIDs. The columns for the Message-ID and the sender
-- are digests: nothing here says who wrote. A row without an outcome is a mail that is being processed, or will be again.
-- `reason` is for operators.
create table mail_ledger (
  mailbox text not null,
  uid_validity bigint not null,
  uid bigint not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  outcome text check (outcome in ('task', 'answer', 'message', 'continuation', 'duplicate', 'ignored', 'refused', 'failed')),
  reason text,
  message_key text,
  sender_key text,
  done_at timestamptz,
  -- Whether the service does not know the sender: mails of all those together are limited too.
  is_unknown boolean not null default false,
  primary key (mailbox, uid_validity, uid),
  check ((outcome is null) = (done_at is null))
);

-- A mail that arrives again under another UID is a duplicate.
create unique index mail_ledger_by_message on mail_ledger (message_key)
  where message_key is not null and outcome in ('task', 'answer', 'message', 'continuation', 'ignored', 'refused');
-- The hourly limit of a sender counts every mail that acts.
create index mail_ledger_by_sender on mail_ledger (sender_key, done_at)
  where outcome in ('task', 'answer', 'message', 'continuation');
-- The hourly limits of all senders, and the deletion of old rows.
create index mail_ledger_by_end on mail_ledger (done_at) where outcome is not null;
-- Deletes the rows of mails that were deleted, or got too old, while they waited.
create index mail_ledger_open on mail_ledger (next_attempt_at) where outcome is null;
