-- Tokens with which programs act as a member of a hosted service's team. `digest` is the SHA-256 of the token: it has 238 random
-- bits, so a hash that is slow on purpose would add nothing. A token counts only while the seat belongs to the account that
-- made it, and with no more than `role`.
create table access_tokens (
  id uuid primary key,
  digest text not null unique,
  member_id uuid not null references team_members on delete cascade,
  issuer text not null, subject text not null, user_id text not null,
  name text not null, prefix text not null, role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz(3) not null default now(), last_used_at timestamptz(3), expires_at timestamptz(3)
);

-- For the list of the tokens of a user.
create index access_tokens_by_user on access_tokens (user_id, id);
-- When a member leaves, the foreign key deletes the tokens of that member.
create index access_tokens_by_member on access_tokens (member_id);

alter table access_tokens enable row level security;
create policy own_reads on access_tokens for select using (user_id = caller_id() or caller_is_admin());
create policy own_deletes on access_tokens for delete using (user_id = caller_id() or caller_is_admin());
