-- What became of each mail of the inbox, so that it acts once: by its UID under the mailbox's UIDVALIDITY, and by its
-- Message-ID, which stays the same when the server gives out new UIDs. The key of the Message-ID and that of the sender
-- are digests: nothing here says who wrote. A row without an outcome is a mail that is being processed, or will be again.
create table mail_ledger (
  mailbox text not null,
  uid_validity bigint not null,
  uid bigint not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  outcome text check (outcome in ('task', 'answer', 'message', 'continuation', 'duplicate', 'ignored', 'refused', 'failed')),
  reason text,
  message_key text,
  sender_key text,
  done_at timestamptz,
  primary key (mailbox, uid_validity, uid),
  check ((outcome is null) = (done_at is null))
);

create unique index mail_ledger_by_message on mail_ledger (message_key)
  where message_key is not null and outcome in ('task', 'answer', 'message', 'continuation', 'ignored', 'refused');
create index mail_ledger_by_sender on mail_ledger (sender_key, done_at) where outcome in ('task', 'continuation');
create index mail_ledger_by_end on mail_ledger (done_at) where outcome is not null;

-- No policy: only the service reads and writes it.
alter table mail_ledger enable row level security;
