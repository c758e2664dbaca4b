-- The limit of a sender counts every mail that acts, not only those that make tasks; further ones wait.
drop index mail_ledger_by_sender;
create index mail_ledger_by_sender on mail_ledger (sender_key, done_at)
  where outcome in ('task', 'answer', 'message', 'continuation');
-- Mails that are deleted, or get too old, while they wait.
create index mail_ledger_open on mail_ledger (next_attempt_at) where outcome is null;
