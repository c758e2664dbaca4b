-- A task that continues another inherits its conversations in the statement that inserts it, whose rows no function sees
-- yet. A task that isn't there belongs to nobody: its rows may be inserted, and `tasks` restricts whose task it becomes.
drop policy owner_writes on task_threads;
create policy owner_writes on task_threads using (caller_may_change(task_id))
  with check (caller_may_change(task_id) or not exists (select from tasks t where t.id = task_id));
