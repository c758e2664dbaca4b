-- The users of removed members, by the identity provider's subject: a member who is invited again has the same user.
create table former_members (
  issuer text not null,
  subject text not null,
  user_id text not null,
  removed_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index former_members_by_user on former_members (user_id);

-- No policy: only the service reads and writes it.
alter table former_members enable row level security;
