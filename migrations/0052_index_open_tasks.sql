-- GET /users/{id}/usage reads the tasks of a user that are open, and those that ended since the last sums. The open ones that runners
-- hold are few, and are in `actors_held`: a task that is claimed by its insert, and ends at once, enters one of the two indexes.
create index actors_open on actors (creator) where completed_at is null and runner is null;
drop index actors_by_creator;

-- completed_at is the first column, because the retention deletes tasks by the time of their end. creator is the second: a query for
-- the ended tasks of one user compares it in the index entries, and reads no row of another user's task.
drop index actors_ended;
create index actors_ended on actors (completed_at, creator) where completed_at is not null;
