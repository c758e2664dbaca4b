-- What the tasks of a user came to (GET /users/{id}/usage), by the hour in which they were requested: of all tasks that ended before
-- `usage_sums.until`, so that a report reads the sums and the few tasks that are open or ended since. The job of `task_hours`
-- adds each hour of ends once it is over. Deleting a task later changes no sum.
create table user_hours (
  user_id text, hour timestamptz,
  -- Without subtasks.
  tasks integer not null,
  -- With subtasks. The cost is of those tasks whose calls all had a price, and null without such a task.
  unpriced_tasks integer not null,
  input_tokens double precision not null, output_tokens double precision not null,
  model_calls double precision not null, tool_calls double precision not null, cost double precision,
  primary key (user_id, hour)
);
alter table user_hours enable row level security;
create policy own on user_hours for select using (user_id = caller_id() or caller_is_admin());

-- The only row says which ends the sums have.
create table usage_sums (until timestamptz not null);
insert into usage_sums values (date_trunc('hour', now() - interval '61 minutes', 'UTC'));

-- The tasks of a user that are open, and those that ended last. No step of a running task changes these columns.
create index actors_by_creator on actors (creator, completed_at);

insert into user_hours
select t.creator, date_trunc('hour', t.created_at, 'UTC'), count(*) filter (where t.task_type = 'task'),
  count(*) filter (where a.model_calls > 0 and a.cost is null), sum(a.input_tokens), sum(a.output_tokens),
  sum(a.model_calls), sum(a.tool_calls), sum(a.cost)
from actors a join tasks t on t.id = a.task_id
where a.completed_at < (select until from usage_sums)
group by 1, 2;

-- Adds to the sums of a user.
create function add_usage(owner text, used user_hours) returns void language sql as $$
  insert into user_hours as u
  values (owner, used.hour, used.tasks, used.unpriced_tasks, used.input_tokens, used.output_tokens, used.model_calls, used.tool_calls, used.cost)
  on conflict (user_id, hour) do update set
    tasks = u.tasks + excluded.tasks, unpriced_tasks = u.unpriced_tasks + excluded.unpriced_tasks,
    input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
    model_calls = u.model_calls + excluded.model_calls, tool_calls = u.tool_calls + excluded.tool_calls,
    cost = coalesce(u.cost + excluded.cost, u.cost, excluded.cost)
$$;

-- Takes a task that ended at `ended`, and is retried, out of the sums: its next end adds it again. Whoever may retry a task may not
-- write the sums of its creator. A run of the job that adds its end has committed, or begins after the retry.
create function uncount_usage(task uuid, ended timestamptz) returns void
language plpgsql security definer set search_path from current as $$
begin
  perform from usage_sums for share;
  perform add_usage(t.creator, row(t.creator, date_trunc('hour', t.created_at, 'UTC'), - (t.task_type = 'task')::integer,
    - (a.model_calls > 0 and a.cost is null)::integer, - a.input_tokens, - a.output_tokens, - a.model_calls, - a.tool_calls, - a.cost))
  from tasks t join actors a on a.task_id = t.id
  where t.id = task and ended < (select until from usage_sums);
end $$;
