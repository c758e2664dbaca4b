-- Claims walk over the recipients (`outbox_by_recipient`) and no longer over all messages that are due.
drop index outbox_due;

create index subscriptions_to_all on subscriptions (id) where tasks = 'all' and disabled_reason is null;

-- As before, without reading the subscriptions of everybody for each event.
create or replace function enqueue_task_event(event text, task uuid, at timestamptz, seq integer, facts json) returns void
language plpgsql security definer set search_path from current as $$
begin
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select event_id(at, coalesce(seq, 0)), 'webhook', s.id::text, event, s.user_id, task,
    json_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'seq', seq, 'facts', facts)
  from tasks t cross join lateral (
    select a.id, a.user_id, a.events from subscriptions a where a.tasks = 'all' and a.disabled_reason is null
    union all
    select o.id, o.user_id, o.events from subscriptions o
    where o.user_id = any(array[t.creator, t.assignee]) and o.tasks = 'own' and o.disabled_reason is null
  ) s
  where t.id = task and t.task_type = 'task' and event = any(s.events);
  if found then
    perform pg_notify('troupe_outbox', '');
  end if;
end $$;
