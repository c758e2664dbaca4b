-- Statements write what follows from them, by rules in TypeScript; no trigger does. Two functions remain for requests, whose
-- role may read neither the addresses nor the subscriptions of others: hence `security definer`.
drop trigger actors_publish_status on actors;
drop trigger tasks_publish_created on tasks;
drop trigger tasks_publish_archived on tasks;
drop trigger notifications_enqueue on notifications;
drop trigger team_members_notify on team_members;
drop function publish_status();
drop function publish_task();
drop function notify_seats();
drop function enqueue_notifications();
drop function enqueue_task_event(text, uuid, timestamptz, integer, json);

-- Queues an event of a task for each subscription to it. Called only while there are subscriptions, so that most services
-- spend one look at an empty table.
create function publish_event(
  event text, of_task uuid, people text[], at timestamptz, seq integer, status text, question text, error text
) returns void
language plpgsql security definer set search_path from current as $$
begin
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select event_id(at, coalesce(seq, 0)), 'webhook', s.id::text, event, s.user_id, of_task, json_build_object(
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
    where t.replies_left > 0 and exists (select from added a where a.task_id = t.id and a.user_id = t.creator)
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
