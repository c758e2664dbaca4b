-- GET /tasks?sleeping=true: running tasks that no runner holds. Neither they nor a step of a running task change these columns: a
-- run that ends with a time to wake at changes that time, which other indexes have.
create index actors_sleeping on actors (task_id) include (wake_at) where status = 'running' and runner is null;
-- The tasks that runners hold, for the places of workers (GET /worker/health): as many as all workers run, however many sleep. Each claim
-- enters it, so its key is the shortest.
create index actors_held on actors (shard) where runner is not null;
