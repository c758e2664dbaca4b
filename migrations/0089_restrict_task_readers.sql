-- Members see of the team's tasks a row with title, status, times, people and usage. The conversation, with the arguments
-- and results of tools, is in the steps: only the task's creator and assignee, of a subtask those of its parent too,
-- and admins read it. `mayReadContent` (packages/domain/src/TaskReaders.ts) is the same rule for the columns of the
-- team's rows that contain texts, such as the request and a webhook's payload.
create function caller_may_read(task uuid) returns boolean language sql stable parallel safe
return exists (
  select from tasks t left join tasks p on p.id = t.parent_task_id
  where t.id = task and (caller_is_admin() or caller_id() in (t.creator, t.assignee, p.creator, p.assignee))
);

drop policy team_reads on steps;
create policy readers_read on steps for select using (caller_is_admin() or caller_may_read(task_id));
