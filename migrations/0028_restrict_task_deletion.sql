-- A task is deleted by its creator, and a subtask by that of its parent too; an assignee only changes it.
create function caller_may_delete(task uuid) returns boolean language sql stable parallel safe
return exists (
  select from tasks t left join tasks p on p.id = t.parent_task_id
  where t.id = task and (caller_is_admin() or caller_id() in (t.creator, p.creator))
);

alter policy owner_deletes on tasks using (caller_may_delete(id));
alter policy owner_deletes on actors using (caller_may_delete(task_id));
alter policy owner_deletes on steps using (caller_may_delete(task_id));
