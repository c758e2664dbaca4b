-- The thread of the channel in which the schedule was asked for.
alter table schedules add column thread_ts text;
