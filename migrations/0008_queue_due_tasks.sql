-- The runner in whose line the task stands: due, seen by that runner, and left for want of a place. Whoever sets
-- `wake_at` anew takes the task out of its line.
alter table actors add column line text;

-- The waker's indexes. A task is in one of them at a time: by its time while it sleeps and until its runner has looked,
-- so that a look reads what has come due since the one before and nothing of what sleeps; then in its runner's line,
-- where each user's tasks stand together with the oldest first.
drop index actors_due;
create index actors_due on actors (wake_at) include (shard, creator, task_id)
  where wake_at is not null and line is null;
create index actors_in_line on actors (line, creator, wake_at) include (shard, task_id)
  where wake_at is not null and line is not null;
