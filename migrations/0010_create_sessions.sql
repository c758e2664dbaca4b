-- The sessions of browsers that signed in at a hosted service. A session belongs to a seat of the team and ends with it, and
-- counts only while the seat belongs to the account that signed in. The cookie's value is stored as a hash.
create table sessions (
  token_hash text primary key,
  member_id uuid not null references team_members on delete cascade,
  issuer text not null,
  subject text not null,
  created_at timestamptz(3) not null default now(),
  -- Each use moves it, up to `ends_at`.
  expires_at timestamptz(3) not null,
  ends_at timestamptz(3) not null
);
create index sessions_by_member on sessions (member_id);
create index sessions_by_expiry on sessions (expires_at);

-- No policy: only the service reads and writes it.
alter table sessions enable row level security;
