-- What `ended_by` says, more exactly: the limit of iterations that was reached, or the name of who cancelled the task.
alter table actors add column ended_detail text;

-- The messages of another task that come before the task's own ones, as JSON. `context` is null then.
alter table tasks add column conversation text;

-- What the task and its subtasks may cost at most, in the currency of the models' prices.
alter table tasks add column max_cost double precision check (max_cost > 0);
