-- What an operator reads about a mail that was not taken (`GET /api/mail/ignored`): only of the last 200 of them, whose
-- `ignored_id` is set. A mail's Message-ID and sender are still known by digests alone otherwise.
alter table mail_ledger
  -- Ids are UUIDv7, so that the newest comes last.
  add column ignored_id uuid,
  add column reason_code text,
  add column from_header text, add column subject text, add column message_id text,
  -- When the mail server received it, if that is known.
  add column received_at timestamptz,
  add check ((ignored_id is null) = (reason_code is null));

create unique index mail_ledger_ignored on mail_ledger (ignored_id) where ignored_id is not null;
