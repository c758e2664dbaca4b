-- Users who turned out to be the same person as another user, whose `user_id` has everything of theirs. Processes may
-- still write for the former id, and its files are moved after the transaction, so a job repeats the move for an hour and
-- deletes the row then.
create table joined_users (
  id text primary key,
  user_id text not null,
  joined_at timestamptz(3) not null default now(),
  check (id <> user_id)
);

create index joined_users_by_user on joined_users (user_id);

-- No policy: only the service reads and writes it.
alter table joined_users enable row level security;
