-- What leaves the service: a row is written in the transaction that causes the message, and delivered later.
create table outbox (
  id uuid primary key,
  channel text not null check (channel in ('chat', 'email', 'webhook')),
  -- Messages to one recipient of a channel leave in the order of their ids. An address, or what `tasks.reply_to` says.
  recipient text not null,
  kind text not null,
  user_id text,
  task_id uuid,
  -- The text of a notification is read at its delivery; any other message has a payload, which only its channel reads.
  notification_id uuid,
  payload text,
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed')),
  attempts integer not null default 0,
  -- The number of the claim: only the newest one may change the row.
  epoch integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  lease_until timestamptz(3),
  -- The message left the process. If no result is known then, it is not sent again.
  handed_over boolean not null default false,
  last_error text,
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  check ((notification_id is null) <> (payload is null))
);

create index outbox_due on outbox (channel, next_attempt_at) where state = 'pending';
create index outbox_by_recipient on outbox (channel, left(recipient, 200), id) where state in ('pending', 'sending');
create index outbox_leases on outbox (channel, lease_until) where state = 'sending';
create index outbox_failed on outbox (id) where state = 'failed';
create index outbox_sent on outbox (sent_at) where state = 'sent';
create index outbox_by_task on outbox (task_id) where task_id is not null;
create index outbox_by_user on outbox (user_id) where user_id is not null;

alter table outbox enable row level security;
create policy own on outbox using (user_id = caller_id() or caller_is_admin() or caller_may_change(task_id));

-- The id of a notification's message on a channel: that of the notification, with another variant digit.
create function outbox_id(notification_id uuid, channel text) returns uuid language sql immutable parallel safe
return overlay(notification_id::text placing case channel when 'chat' then '9' else 'a' end from 20 for 1)::uuid;

-- Each notification goes where its user wants it, or else where its task came from; the feed has it in any case. A
-- question to an assignee does not go to the mailbox of the creator. Other processes write notifications with the rights
-- of a request, which may not read the addresses of others: hence `security definer`.
create function enqueue_notifications() returns trigger language plpgsql security definer set search_path from current as $$
begin
  insert into outbox (id, channel, recipient, kind, user_id, task_id, notification_id)
  select outbox_id(n.id, way.channel), way.channel, target.recipient, 'notification', n.user_id, n.task_id, n.id
  from added n
  left join tasks t on t.id = n.task_id
  left join users u on u.id = n.user_id
  cross join lateral unnest(
    case when cardinality(u.notify_by) > 0 then u.notify_by else array[t.reply_channel] end
  ) as way (channel)
  cross join lateral (
    select case
      when way.channel = t.reply_channel and (way.channel = 'chat' or n.user_id = t.creator) then t.reply_to
      when way.channel = 'chat' then u.chat_user_id
      when way.channel = 'email' then u.email
    end as recipient
  ) target
  where target.recipient is not null
  on conflict (id) do nothing;
  if found then
    perform pg_notify('troupe_outbox', '');
  end if;
  return null;
end $$;

create trigger notifications_enqueue after insert on notifications
referencing new table as added for each statement execute function enqueue_notifications();
