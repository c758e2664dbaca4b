-- What became of the tasks that ended in an hour (GET /system/history), of hours that are over: a week of a busy service is
-- read from 168 rows. What ended since is read from the tasks. Deleting or retrying a task later changes no row.
create table task_hours (
  hour timestamptz primary key,
  completed integer not null, failed integer not null,
  -- How many of them had started, and the seconds from the request to the start and from there to the end: 41 quantiles,
  -- from the shortest to the longest; null without a task.
  started integer not null, queued_seconds real[], duration_seconds real[],
  -- With subtasks.
  model_calls double precision not null, input_tokens double precision not null, output_tokens double precision not null,
  cost double precision not null, unpriced_tasks integer not null
);
alter table task_hours enable row level security;
