-- As before, and where none of the ways that the user chose leads anywhere, the message goes where its task came from.
-- Who chose the feed alone gets nothing else.
create or replace function enqueue_notifications() returns trigger
language plpgsql security definer set search_path from current as $$
begin
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
  on conflict (id) do nothing;
  if found then
    perform pg_notify('troupe_outbox', '');
  end if;
  return null;
end $$;
