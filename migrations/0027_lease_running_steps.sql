-- A worker that loses a shard ends the running steps of its tasks. Until then it renews this time, before which no other worker
-- claims the task. It is null, or past, in every other row.
alter table actors add column leased_until timestamptz(3);
