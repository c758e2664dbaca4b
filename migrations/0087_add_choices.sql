-- What a pending question offers to choose from, and whether its answer approves what the call that asks would do. Set
-- and cleared with the question.
alter table actors add column choices text[];
alter table actors add column asks_approval boolean not null default false;
-- Whether the assignee became it by an answer without a right to the task, as everybody in the team chat of a self-hosted
-- service may: who did so approves nothing.
alter table tasks add column assigned_by_answer boolean not null default false;
-- The call whose question this mail asked. Only a reply to that mail approves what the call would do.
alter table task_threads add column call text;
