-- Where the events of tasks are posted. `secret` is JSON, sealed where there is a key.
create table subscriptions (
  id uuid primary key,
  user_id text not null,
  url text not null,
  events text[] not null,
  tasks text not null check (tasks in ('own', 'all')),
  secret text not null,
  -- Null: it is active.
  disabled_reason text,
  created_at timestamptz(3) not null default now()
);

create index subscriptions_by_user on subscriptions (user_id, id);

-- Only an admin subscribes to all tasks.
alter table subscriptions enable row level security;
create policy own on subscriptions
  using (user_id = caller_id() or caller_is_admin())
  with check (user_id = caller_id() and tasks = 'own' or caller_is_admin());

-- The deliveries of a subscription, which is their recipient.
create index outbox_by_subscription on outbox (recipient, id) where channel = 'webhook';

-- A UUIDv7 (RFC 9562) that no other row has. Those of one millisecond are ordered by `place`.
create function event_id(at timestamptz, place integer) returns uuid language sql volatile parallel safe
return regexp_replace(
  gen_random_uuid()::text, '^.{18}',
  regexp_replace(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), '(.{4})$', '-\1')
    || '-7' || lpad(to_hex(place % 4096), 3, '0')
)::uuid;

-- One row for each subscription to the event. What else is posted is read from the task and the step at the delivery.
-- Tasks also change with the rights of a request, which may not read the subscriptions of others: hence
-- `security definer`.
create function enqueue_task_event(event text, task uuid, at timestamptz, seq integer, facts json) returns void
language plpgsql security definer set search_path from current as $$
begin
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select event_id(at, coalesce(seq, 0)), 'webhook', s.id::text, event, s.user_id, task,
    json_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'seq', seq, 'facts', facts)
  from subscriptions s join tasks t on t.id = task
  where s.disabled_reason is null and event = any(s.events) and t.task_type = 'task'
    and (s.tasks = 'all' or s.user_id in (t.creator, t.assignee));
  if found then
    perform pg_notify('troupe_outbox', '');
  end if;
end $$;

-- Most services have no subscription: then an event costs one look at an empty table and writes nothing.
create function has_subscriptions() returns boolean language plpgsql stable security definer set search_path from current as $$
begin
  return exists (select from subscriptions);
end $$;

create function publish_status() returns trigger language plpgsql as $$
declare event constant text := case
  when new.status = 'running' and old.status = 'pending' then 'task.started'
  when new.status = 'running' and old.status = 'waiting_input' then 'task.resumed'
  when new.status = 'waiting_input' then 'task.waiting'
  when new.status in ('completed', 'failed') then 'task.' || new.status
end;
begin
  if event is not null and has_subscriptions() then
    perform enqueue_task_event(event, new.task_id, new.updated_at, new.seq, json_build_object(
      'status', new.status, 'question', new.question, 'error', new.error
    ));
  end if;
  return null;
end $$;

create trigger actors_publish_status after update of status on actors
for each row when (old.status is distinct from new.status) execute function publish_status();

create function publish_task() returns trigger language plpgsql as $$
begin
  if has_subscriptions() then
    if tg_op = 'INSERT' then
      perform enqueue_task_event('task.created', new.id, new.created_at, null, json_build_object('status', 'pending'));
    else
      perform enqueue_task_event('task.archived', new.id, new.archived_at, a.seq, json_build_object(
        'status', a.status, 'question', a.question, 'error', a.error
      )) from actors a where a.task_id = new.id;
    end if;
  end if;
  return null;
end $$;

create trigger tasks_publish_created after insert on tasks
for each row when (new.task_type = 'task') execute function publish_task();

create trigger tasks_publish_archived after update of archived_at on tasks
for each row when (new.task_type = 'task' and old.archived_at is null and new.archived_at is not null)
execute function publish_task();
