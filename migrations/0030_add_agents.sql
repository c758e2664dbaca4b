-- The agent of a task: its name, the revision of its file, and the number of the file's text among `prompt_texts`, so that the task
-- goes on with the text that it began with, also when the file has changed or is gone. Null: it has none.
alter table tasks add column agent text, add column agent_revision text, add column agent_text integer;
-- GET /tasks?agent=, and the revisions that tasks of an agent used. Most tasks have none.
create index tasks_by_agent on tasks (agent, id) where agent is not null;
-- The agent of the tasks that a schedule makes.
alter table schedules add column agent text;
