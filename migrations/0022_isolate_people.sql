-- What a request may read and change, whatever its statement asks for: hosted requests run as the role
-- `troupe_requests` (src/Runtime/RequestRole.ts), for which these policies hold, with the caller in settings of the
-- transaction. Without a caller no row is visible. The service itself owns the tables, and its statements are not
-- restricted. src/People/README.md has the same rules as a table.
create function caller_id() returns text language sql stable parallel safe
return nullif(current_setting('troupe.caller', true), '');

create function caller_is_admin() returns boolean language sql stable parallel safe
return caller_id() is not null and coalesce(current_setting('troupe.caller_role', true) in ('owner', 'admin'), false);

-- A task is changed by its creator and its assignee, and a subtask by those of its parent too.
create function caller_may_change(task uuid) returns boolean language sql stable parallel safe
return exists (
  select from tasks t left join tasks p on p.id = t.parent_task_id
  where t.id = task and (caller_is_admin() or caller_id() in (t.creator, t.assignee, p.creator, p.assignee))
);

alter table tasks enable row level security;
create policy team_reads on tasks for select using (caller_id() is not null);
create policy creator_inserts on tasks for insert with check (caller_is_admin() or creator = caller_id());
create policy owner_updates on tasks for update using (caller_may_change(id));
create policy owner_deletes on tasks for delete using (caller_may_change(id));

alter table actors enable row level security;
create policy team_reads on actors for select using (caller_id() is not null);
create policy creator_inserts on actors for insert with check (caller_is_admin() or creator = caller_id());
create policy owner_updates on actors for update using (caller_may_change(task_id));
create policy owner_deletes on actors for delete using (caller_may_change(task_id));

alter table steps enable row level security;
create policy team_reads on steps for select using (caller_id() is not null);
create policy owner_inserts on steps for insert with check (caller_may_change(task_id));
create policy owner_deletes on steps for delete using (caller_may_change(task_id));

alter table inbox enable row level security;
create policy owner_writes on inbox using (caller_may_change(task_id));

alter table idempotency_keys enable row level security;
create policy own on idempotency_keys using (caller = caller_id());

-- The end of a task notifies its creator, whoever ended it.
alter table notifications enable row level security;
create policy own on notifications using (user_id = caller_id() or caller_is_admin());
create policy owner_notifies on notifications for insert with check (caller_may_change(task_id));

alter table memory_owners enable row level security;
create policy own on memory_owners using (user_id = caller_id() or caller_is_admin());

alter table memories enable row level security;
create policy own on memories using (user_id = caller_id() or caller_is_admin());

-- No policy: only the service reads and writes it.
alter table remembered_tasks enable row level security;

alter table users enable row level security;
create policy own on users using (id = caller_id() or caller_is_admin());

-- They contain the secrets of tool servers, or decide which tools agents trust.
alter table tool_server_config enable row level security;
create policy admins on tool_server_config using (caller_is_admin());
alter table tool_definitions enable row level security;
create policy admins on tool_definitions using (caller_is_admin());
