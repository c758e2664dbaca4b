-- The feed of each user. The row of a task's step keeps no words: its text is read from the step and the task. Only a
-- notification that no step caused has words of its own.
create table notifications (
  user_id text, id uuid,
  task_id uuid, seq integer, read_at timestamptz(3),
  kind text check (kind in ('completion', 'question', 'failure', 'reminder')), title text, body text,
  primary key (user_id, id),
  check ((seq is null) = (kind is not null) and (seq is null) = (title is not null))
);

-- Lists the unread ones of a user.
create index notifications_unread on notifications (user_id, id) where read_at is null;

-- The id of the `place`th notification, or event, of a task's step: a UUIDv7 (RFC 9562) of the step's time, so that ids
-- sort by it. A step causes the same ids whoever asks, so they are found again through the step, without an index.
create function notification_id(at timestamptz, task_id uuid, seq integer, place integer) returns uuid
language sql immutable parallel safe
return (
  lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(seq % 4096), 3, '0')
  || '8' || lpad(to_hex(place % 4096), 3, '0') || right(task_id::text, 12)
)::uuid;

-- Marks a notification as read for its user, also by somebody who may not read it: the assignee of a task retries it.
create function settle_notification(reader text, settled uuid) returns void
language sql security definer set search_path from current as $$
  update notifications set read_at = now() where user_id = reader and id = settled and read_at is null
$$;

-- What leaves the service: a row is written in the transaction that causes the message, and delivered later. A queue
-- (src/Queue).
create table outbox (
  id uuid primary key,
  channel text not null check (channel in ('chat', 'email', 'webhook')),
  -- An address, what `tasks.reply_to` says, or a subscription.
  recipient text not null,
  kind text not null, user_id text, task_id uuid,
  -- The text of a notification is read at its delivery; any other message has a payload, which only its channel reads.
  notification_id uuid, payload text,
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed')),
  -- The newest claim has the number `epoch`: only it may change the row.
  attempts smallint not null default 0, epoch integer not null default 0, last_error text,
  -- When it is claimed next: after its pause or, while it is being sent, when its lease ends.
  due_at timestamptz default now(), created_at timestamptz(3) not null default now(), ended_at timestamptz,
  -- The message left the process. If no result is known then, it is not sent again.
  handed_over boolean not null default false,
  -- The copies of files that it takes along, by their SHA-256: they are kept until it is sent.
  files text[],
  -- What an attempt is about to do, or has done, for the one after it. Only the channel reads it.
  progress text,
  -- Messages to one recipient are sent in the order of their ids if they have the same `ordered_by`: a webhook's is its
  -- task, so that one that fails delays no other task. Mail and chat have all the same one.
  ordered_by uuid not null
    generated always as (coalesce(case channel when 'webhook' then task_id end, '00000000-0000-0000-0000-000000000000')) stored,
  check ((notification_id is null) <> (payload is null)),
  check ((due_at is not null) = (state in ('pending', 'sending'))),
  check ((ended_at is not null) = (state in ('sent', 'failed')))
);

-- Claims: the oldest message of each order. Counts what waits, and finds the copies of files that it needs.
create index outbox_due on outbox (channel, left(recipient, 200), ordered_by, id) where due_at is not null;
-- Lists and counts dead letters; deletes old messages.
create index outbox_ended on outbox (state, ended_at) where state in ('sent', 'failed');
-- Delete the messages of a task and of a user with them.
create index outbox_by_task on outbox (task_id) where task_id is not null;
create index outbox_by_user on outbox (user_id) where user_id is not null;
-- Lists the deliveries of a subscription.
create index outbox_by_subscription on outbox (recipient, id) where channel = 'webhook';

-- The id of the outbox message for a notification and a channel: the notification's id with another variant digit.
create function outbox_id(notification_id uuid, channel text) returns uuid language sql immutable parallel safe
return overlay(notification_id::text placing case channel when 'chat' then '9' else 'a' end from 20 for 1)::uuid;

-- Where the events of tasks are posted. `secret` is JSON, sealed where there is a key.
create table subscriptions (
  id uuid primary key,
  user_id text not null, url text not null, secret text not null,
  events text[] not null, tasks text not null check (tasks in ('own', 'all')),
  -- Null: it is active.
  disabled_reason text,
  created_at timestamptz(3) not null default now()
);

-- Lists and counts a user's subscriptions. Both: the subscriptions to an event (`publish_event`).
create index subscriptions_by_user on subscriptions (user_id, id);
create index subscriptions_to_all on subscriptions (id) where tasks = 'all' and disabled_reason is null;

-- The statements that change a task call the three functions below. Requests do so too, whose role may read neither the
-- addresses nor the subscriptions of others: hence `security definer`.

-- Most services have no subscription: then an event costs one look at an empty table and writes nothing.
create function has_subscriptions() returns boolean language plpgsql stable security definer set search_path from current as $$
begin
  return exists (select from subscriptions);
end $$;

-- Queues an event of a task for each subscription to it.
create function publish_event(
  event text, of_task uuid, people text[], at timestamptz, seq integer, status text, question text, error text
) returns void
language plpgsql security definer set search_path from current as $$
begin
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select notification_id(at, of_task, coalesce(seq, 0),
    -- A task is cancelled and archived at the same step.
    (case event when 'task.archived' then 2048 else 0 end + row_number() over ())::integer),
    'webhook', s.id::text, event, s.user_id, of_task, json_build_object(
    'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'seq', seq,
    'facts', json_build_object('status', status, 'question', question, 'error', error)
  )
  from (
    select a.id, a.user_id, a.events from subscriptions a where a.tasks = 'all' and a.disabled_reason is null
    union all
    select o.id, o.user_id, o.events from subscriptions o
    where o.user_id = any(people) and o.tasks = 'own' and o.disabled_reason is null
  ) s
  where event = any(s.events);
  if found then
    perform pg_notify('troupe_outbox', '');
  end if;
end $$;

-- Queues the messages of notifications. Each goes where its user wants it, or, where none of these ways leads anywhere or
-- the user has said nothing, where its task came from; the feed has it in any case. Who chose the feed alone gets nothing
-- else. A question to an assignee does not go to the mailbox of the creator. A mail to a sender whom the service does not
-- know takes one of the replies that the task has left.
create function send_notifications(notification_ids uuid[], user_ids text[], task_ids uuid[]) returns void
language plpgsql security definer set search_path from current as $$
begin
  with added as (
    select * from unnest(notification_ids, user_ids, task_ids) as a(id, user_id, task_id)
  ), replying as (
    update tasks t set replies_left = t.replies_left - 1
    from added a where a.task_id = t.id and a.user_id = t.creator and t.replies_left > 0
    returning t.id
  )
  insert into outbox (id, channel, recipient, kind, user_id, task_id, notification_id)
  select outbox_id(n.id, target.channel), target.channel, target.recipient, 'notification', n.user_id, n.task_id, n.id
  from added n
  left join tasks t on t.id = n.task_id
  left join users u on u.id = n.user_id
  cross join lateral (
    select channel, recipient, rank() over (order by is_chosen desc) as choice
    from (
      select way.*, case
        when channel = t.reply_channel and (channel = 'chat' or n.user_id = t.creator) then t.reply_to
        when channel = 'chat' then u.chat_user_id
        when channel = 'email' then u.email
      end as recipient
      from (
        select unnest(u.notify_by) as channel, true as is_chosen
        union all
        select t.reply_channel, false
        where coalesce(cardinality(u.notify_by), 0) = 0 or not u.notify_by <@ array['ui']
      ) way
    ) possible
    where recipient is not null
  ) target
  where target.choice = 1
    and (
      t.replies_left is null or target.channel <> 'email' or n.user_id <> t.creator or (
        n.task_id in (select id from replying)
        and not exists (select from added a where a.task_id = n.task_id and a.user_id = n.user_id and a.id > n.id)
      )
    )
  on conflict (id) do nothing;
  if found then
    perform pg_notify('troupe_outbox', '');
  end if;
end $$;
