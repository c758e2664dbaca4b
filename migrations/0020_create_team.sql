-- The seats of a hosted service's team. An invitation is recognised by its e-mail address, in lower case, until the first
-- sign-in, and by the identity provider's subject from then on.
create table team_members (
  id uuid primary key,
  email text not null unique,
  name text,
  role text not null check (role in ('owner', 'admin', 'member')),
  invited_by text,
  invited_at timestamptz(3) not null default now(),
  issuer text,
  subject text,
  user_id text unique,
  joined_at timestamptz(3),
  unique (issuer, subject),
  check (num_nulls(issuer, subject, user_id, joined_at) in (0, 4))
);

create unique index team_members_owner on team_members (role) where role = 'owner';

-- No policy: only the service reads and writes it.
alter table team_members enable row level security;
