-- What a request may read and change, whatever its statement asks for: hosted requests run as the role `troupe_requests`
-- (src/Runtime/Database/RequestRole.ts), for which these policies hold, with the caller in settings of the transaction.
-- Without a caller no row is visible. The service itself owns the tables, and its statements are not restricted.
-- src/People/README.md has the same rules as a table.
create function caller_id() returns text language sql stable parallel safe
return nullif(current_setting('troupe.caller', true), '');

create function caller_is_admin() returns boolean language sql stable parallel safe
return caller_id() is not null and coalesce(current_setting('troupe.caller_role', true) in ('owner', 'admin'), false);

-- The creator and the assignee may change a task. The creator and the assignee of its parent may change a subtask too.
create function caller_may_change(task uuid) returns boolean language sql stable parallel safe
return exists (
  select from tasks t left join tasks p on p.id = t.parent_task_id
  where t.id = task and (caller_is_admin() or caller_id() in (t.creator, t.assignee, p.creator, p.assignee))
);

-- The creator may delete a task, and the creator of its parent a subtask. An assignee may not delete it.
create function caller_may_delete(task uuid) returns boolean language sql stable parallel safe
return exists (
  select from tasks t left join tasks p on p.id = t.parent_task_id
  where t.id = task and (caller_is_admin() or caller_id() in (t.creator, p.creator))
);

-- Each transaction of a request begins with a check of the caller's seat (src/Runtime/Database/Isolation.ts), because the
-- role that authentication found may be some seconds old. The error becomes a response with 403.
create function check_seat(caller text, wanted text) returns void language plpgsql stable as $$
begin
  if not exists (
    select from team_members where user_id = caller and (wanted = 'member' or role in ('owner', 'admin'))
  ) then
    raise exception using errcode = 'TR403', message = 'The caller has lost the seat in the team, or its role';
  end if;
end $$;

-- A table without a policy below is the service's alone. Without row-level security, because they have nothing of people,
-- are `tool_server_reports`, `rate_limits` and `scheduled_jobs`; requests may not use these at all.
do $$
declare
  name text;
  owner text;
begin
  foreach name in array array[
    'users', 'joined_users', 'erasures', 'team_members', 'former_members', 'sessions', 'channels', 'channel_members',
    'channel_messages', 'tasks', 'actors', 'steps', 'prompt_texts', 'inbox', 'task_threads', 'idempotency_keys',
    'bulk_operations',
    'memory_owners', 'memories', 'remembered_tasks', 'file_reservations', 'tool_server_config', 'tool_server_pins',
    'inbound_messages', 'chat_claims', 'mail_ledger', 'notifications', 'outbox', 'subscriptions', 'schedules'
  ] loop
    execute format('alter table %I enable row level security', name);
  end loop;

  -- The rows of the person in this column are that person's and the admins'.
  for name, owner in values
    ('users', 'id'), ('bulk_operations', 'creator'), ('memory_owners', 'user_id'), ('memories', 'user_id'),
    ('notifications', 'user_id'), ('schedules', 'user_id')
  loop
    execute format('create policy own on %I using (%I = caller_id() or caller_is_admin())', name, owner);
  end loop;

  -- Channels, tool servers with their secrets, and the accepted tools.
  foreach name in array array['channels', 'channel_members', 'tool_server_config', 'tool_server_pins'] loop
    execute format('create policy admins on %I using (caller_is_admin())', name);
  end loop;

  -- The team's tasks. Of others', members see a row with title, status, times, people and usage (`mayReadContent` in
  -- packages/domain/src/TaskReaders.ts restricts the columns that contain texts).
  for name, owner in values ('tasks', 'id'), ('actors', 'task_id') loop
    execute format('create policy team_reads on %I for select using (caller_id() is not null)', name);
    execute format('create policy creator_inserts on %I for insert with check (caller_is_admin() or creator = caller_id())', name);
    execute format('create policy owner_updates on %I for update using (caller_may_change(%I))', name, owner);
    execute format('create policy owner_deletes on %I for delete using (caller_may_delete(%I))', name, owner);
  end loop;
end $$;

-- The conversation, with the arguments and results of tools, is in the steps: only the task's creator and assignee, of a
-- subtask those of its parent too, and admins read it. As a scalar subquery and without a function, which PostgreSQL would
-- call for each step, the rule always uses the key, however large the table of tasks grows.
create policy readers_read on steps for select using (
  caller_is_admin() or (
    select caller_id() in (t.creator, t.assignee, p.creator, p.assignee)
    from tasks t left join tasks p on p.id = t.parent_task_id where t.id = steps.task_id
  )
);
create policy owner_inserts on steps for insert with check (caller_may_change(task_id));
create policy owner_deletes on steps for delete using (caller_may_delete(task_id));
create policy owner_writes on inbox using (caller_may_change(task_id));
create policy owner_writes on task_threads using (caller_may_change(task_id));
create policy own on idempotency_keys using (caller = caller_id());

-- The end of a task notifies its creator, whoever ended it.
create policy owner_notifies on notifications for insert with check (caller_may_change(task_id));
create policy own on outbox using (user_id = caller_id() or caller_is_admin() or caller_may_change(task_id));

-- Only an admin subscribes to all tasks.
create policy own on subscriptions
  using (user_id = caller_id() or caller_is_admin())
  with check (user_id = caller_id() and tasks = 'own' or caller_is_admin());

-- A private channel is visible to its members. Whoever sees a channel sees its members through the service.
create policy own on channel_members for select using (user_id = caller_id());
create policy team_reads on channels for select using (
  caller_id() is not null and (not is_private or exists (
    select from channel_members m where m.channel_id = channels.channel_id and m.user_id = caller_id()
  ))
);
