-- The tasks that a listing shows by default, those of webhooks, and subtasks, each in the order of listings.
create index tasks_listed on tasks (id) where task_type = 'task' and archived_at is null;
create index tasks_by_webhook on tasks (webhook_type, id) where webhook_type is not null;
create index tasks_subtasks on tasks (id) where task_type = 'subtask';

-- The words of tasks, for searches. The extension comes with PostgreSQL and needs no superuser; without it, a search reads
-- all tasks. A task adds a signature of its words; the words themselves (gin) take five times as much log.
do $$
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'Searches of tasks have no index: %', sqlerrm;
  end;
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index tasks_by_words on tasks
      using gist (lower(coalesce(title, '') || ' ' || description) gist_trgm_ops (siglen = 64)) where task_type = 'task';
  end if;
end $$;

-- By which the planner knows how frequent a word is: of a partial index it keeps no such statistics.
create statistics tasks_words on (lower(coalesce(title, '') || ' ' || description)) from tasks;
