-- What was done once in the team chat and is not done again: the messages that made or answered tasks, the channels in
-- which the service introduced itself, the strangers who got their answer. A claim is written in the transaction of what
-- it claims. Without an end it is kept.
create table chat_claims (
  key text primary key,
  expires_at timestamptz
);

create index chat_claims_expired on chat_claims (expires_at) where expires_at is not null;

-- No policy: only the service reads and writes it.
alter table chat_claims enable row level security;
