-- The accounts of users on chat platforms.
create table chat_accounts (
  platform text not null, account text not null, user_id text not null,
  -- The account was deactivated on the platform; if it is active again, it is the same user's.
  deactivated_at timestamptz(3),
  primary key (platform, account)
);

-- A user has one account of each platform, beside deactivated ones. The user's profile, and the channels' members.
create unique index chat_accounts_active on chat_accounts (user_id, platform) where deactivated_at is null;

insert into chat_accounts (platform, account, user_id)
select 'slack', chat_user_id, id from users where chat_user_id is not null;

insert into chat_accounts (platform, account, user_id, deactivated_at)
select distinct on (former_chat_user_id) 'slack', former_chat_user_id, id, updated_at
from users where former_chat_user_id is not null and chat_user_id is null
order by former_chat_user_id, updated_at desc, id
on conflict do nothing;

alter table users drop column chat_user_id, drop column former_chat_user_id;

-- As of users.
alter table chat_accounts enable row level security;
create policy own on chat_accounts using (user_id = caller_id() or caller_is_admin());

-- The name of the second half of a thread's key (`threadHalves` in packages/domain/src/TeamChat.ts).
alter table schedules rename column thread_ts to thread;
