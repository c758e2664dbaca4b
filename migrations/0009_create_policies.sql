-- What a request may read and change, whatever its statement asks for: hosted requests run as the role
-- `troupe_requests` (src/Runtime/Database/RequestRole.ts), for which these policies hold, with the caller in settings of the
-- transaction. Without a caller no row is visible. The service itself owns the tables, and its statements are not
-- restricted. src/People/README.md has the same rules as a table.
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

-- A caller sees the own memberships, so that a private channel is visible to its members.
create function caller_is_in_channel(channel text) returns boolean language sql stable parallel safe
return exists (select from channel_members where channel_id = channel and user_id = caller_id());

-- Each transaction of a request begins with a check of the caller's seat (src/Runtime/Database/Isolation.ts), because the role that
-- authentication found may be some seconds old. The error becomes a response with 403.
create function check_seat(caller text, wanted text) returns void language plpgsql stable as $$
begin
  if not exists (
    select from team_members where user_id = caller and (wanted = 'member' or role in ('owner', 'admin'))
  ) then
    raise exception using errcode = 'TR403', message = 'The caller has lost the seat in the team, or its role';
  end if;
end $$;

-- Members see of the team's tasks a row with title, status, times, people and usage (`mayReadContent` in
-- packages/domain/src/TaskReaders.ts restricts the columns that contain texts).
alter table tasks enable row level security;
create policy team_reads on tasks for select using (caller_id() is not null);
create policy creator_inserts on tasks for insert with check (caller_is_admin() or creator = caller_id());
create policy owner_updates on tasks for update using (caller_may_change(id));
create policy owner_deletes on tasks for delete using (caller_may_delete(id));

alter table actors enable row level security;
create policy team_reads on actors for select using (caller_id() is not null);
create policy creator_inserts on actors for insert with check (caller_is_admin() or creator = caller_id());
create policy owner_updates on actors for update using (caller_may_change(task_id));
create policy owner_deletes on actors for delete using (caller_may_delete(task_id));

-- The conversation, with the arguments and results of tools, is in the steps: only the task's creator and assignee, of a
-- subtask those of its parent too, and admins read it. As a scalar subquery and without a function, which PostgreSQL would
-- call for each step, the rule always uses the key, however large the table of tasks grows.
alter table steps enable row level security;
create policy readers_read on steps for select using (
  caller_is_admin() or (
    select caller_id() in (t.creator, t.assignee, p.creator, p.assignee)
    from tasks t left join tasks p on p.id = t.parent_task_id where t.id = steps.task_id
  )
);
create policy owner_inserts on steps for insert with check (caller_may_change(task_id));
create policy owner_deletes on steps for delete using (caller_may_delete(task_id));

alter table inbox enable row level security;
create policy owner_writes on inbox using (caller_may_change(task_id));

alter table task_threads enable row level security;
create policy owner_writes on task_threads using (caller_may_change(task_id));

alter table idempotency_keys enable row level security;
create policy own on idempotency_keys using (caller = caller_id());

alter table bulk_operations enable row level security;
create policy own on bulk_operations using (creator = caller_id() or caller_is_admin());

-- The end of a task notifies its creator, whoever ended it.
alter table notifications enable row level security;
create policy own on notifications using (user_id = caller_id() or caller_is_admin());
create policy owner_notifies on notifications for insert with check (caller_may_change(task_id));

alter table outbox enable row level security;
create policy own on outbox using (user_id = caller_id() or caller_is_admin() or caller_may_change(task_id));

-- Only an admin subscribes to all tasks.
alter table subscriptions enable row level security;
create policy own on subscriptions
  using (user_id = caller_id() or caller_is_admin())
  with check (user_id = caller_id() and tasks = 'own' or caller_is_admin());

alter table schedules enable row level security;
create policy own on schedules using (user_id = caller_id() or caller_is_admin());

alter table memory_owners enable row level security;
create policy own on memory_owners using (user_id = caller_id() or caller_is_admin());

alter table memories enable row level security;
create policy own on memories using (user_id = caller_id() or caller_is_admin());

alter table users enable row level security;
create policy own on users using (id = caller_id() or caller_is_admin());

alter table channels enable row level security;
create policy team_reads on channels for select
  using (caller_is_admin() or (caller_id() is not null and (not is_private or caller_is_in_channel(channel_id))));
create policy admins on channels using (caller_is_admin());

-- Whoever sees a channel sees its members through the service.
alter table channel_members enable row level security;
create policy own on channel_members for select using (user_id = caller_id());
create policy admins on channel_members using (caller_is_admin());

-- They contain the secrets of tool servers, or decide which tools agents trust.
alter table tool_server_config enable row level security;
create policy admins on tool_server_config using (caller_is_admin());
alter table tool_server_pins enable row level security;
create policy admins on tool_server_pins using (caller_is_admin());

-- No policy: only the service reads and writes them.
alter table team_members enable row level security;
alter table former_members enable row level security;
alter table sessions enable row level security;
alter table joined_users enable row level security;
alter table erasures enable row level security;
alter table prompt_texts enable row level security;
alter table channel_messages enable row level security;
alter table remembered_tasks enable row level security;
alter table file_reservations enable row level security;
alter table inbound_messages enable row level security;
alter table chat_claims enable row level security;
alter table mail_ledger enable row level security;
