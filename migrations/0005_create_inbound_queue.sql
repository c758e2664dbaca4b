-- What arrived from outside and waits to be processed, or was: the durable queue of every ingress (src/Queue).
create table inbound_messages (
  id uuid primary key,
  -- The order of arrival.
  position bigint generated always as identity,
  source text not null, type text not null, delivery_id text, ordering_key text,
  -- Null once it was deleted with its task.
  body bytea,
  headers text not null, content_type text, url text not null, source_ip text,
  state text not null default 'pending' check (state in ('pending', 'processing', 'failed', 'done')),
  attempts smallint not null default 0, epoch integer not null default 0, last_error text,
  due_at timestamptz default now(), received_at timestamptz not null default now(), ended_at timestamptz,
  task_id uuid,
  -- Until it is done, the chat platform's id of the person who sent it, so that an erasure finds it.
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
-- both would put all messages of a long queue before those that may be claimed. Counts and erasures read the first too.
create index inbound_messages_due on inbound_messages (source, type, ordering_key, due_at, position) where due_at is not null;
create index inbound_messages_by_key on inbound_messages (source, ordering_key, position)
  where due_at is not null and ordering_key is not null;
-- GET /webhook/deliveries.
create index inbound_messages_by_source on inbound_messages (source, id);
-- Counts and lists failed messages, and finds them for erasures; deletes old ones.
create index inbound_messages_ended on inbound_messages (state, ended_at) where state in ('done', 'failed');
-- Empties the messages of a deleted task.
create index inbound_messages_by_task on inbound_messages (task_id) where task_id is not null;

-- What was done once in the team chat and is not done again: the messages that made or answered tasks, the channels in
-- which the service introduced itself, the strangers who got their answer. A claim is written in the transaction of what
-- it claims. Without an end it is kept; expired ones are deleted every hour.
create table chat_claims (key text primary key, expires_at timestamptz);

-- What became of each mail of the inbox, so that it acts once: by its UID under the mailbox's UIDVALIDITY, and by its
-- Message-ID, which does not change when the server assigns new UIDs. The columns for the Message-ID and the sender
-- are digests: nothing here says who wrote. A row without an outcome is a mail that is being processed, or will be again.
create table mail_ledger (
  mailbox text, uid_validity bigint, uid bigint,
  attempts integer not null default 0, next_attempt_at timestamptz not null default now(),
  outcome text check (outcome in ('task', 'answer', 'message', 'continuation', 'duplicate', 'ignored', 'refused', 'failed')),
  -- For operators.
  reason text,
  message_key text, sender_key text, done_at timestamptz,
  -- Whether the service does not know the sender: mails of all those together are limited too.
  is_unknown boolean not null default false,
  primary key (mailbox, uid_validity, uid),
  check ((outcome is null) = (done_at is null))
);

-- A mail that arrives again under another UID is a duplicate.
create unique index mail_ledger_by_message on mail_ledger (message_key)
  where message_key is not null and outcome in ('task', 'answer', 'message', 'continuation', 'ignored', 'refused');
-- The hourly limits of a sender and of all, and the deletion of old rows, also of mails that were deleted while they waited.
create index mail_ledger_by_time on mail_ledger (coalesce(done_at, next_attempt_at));
