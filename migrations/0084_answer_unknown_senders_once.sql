-- How many mails a task may still send to its sender, whom the service does not know: one for each mail of theirs, so that
-- nobody can have mails sent to a forged address. Null: any number.
alter table tasks add column replies_left smallint check (replies_left >= 0);
create index tasks_replying on tasks (id) where replies_left > 0;

-- As before, but a notification of a task without a reply left stays in the feed, and the others take one.
create or replace function enqueue_notifications() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  with replying as (
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
  return null;
end $$;
