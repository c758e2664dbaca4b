-- Which tools the agent of a task has: all, those that change only the sender's own files and memories, or those that only
-- read. Less than all where the service does not know who sent the request.
alter table tasks add column tool_access text not null default 'all' check (tool_access in ('all', 'own', 'read'));
