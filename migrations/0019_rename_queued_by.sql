-- The runner that has queued the task: due, and waiting for a free slot of that runner; the empty text is the queue of
-- suspects.
alter table actors rename column line to queued_by;
alter index actors_in_line rename to actors_queued;

-- The run's own count, restored from the journal, is what counts.
alter table actors drop column recursion_count;
