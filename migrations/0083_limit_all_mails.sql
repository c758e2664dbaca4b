-- Mails that act are limited in all too, and those of unknown senders more: whoever forges a new author for each mail is
-- not stopped by the limit of a sender.
alter table mail_ledger add column is_unknown boolean not null default false;
create index mail_ledger_acted on mail_ledger (done_at) where outcome in ('task', 'answer', 'message', 'continuation');
