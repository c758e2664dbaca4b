-- The words in which a recurrence was given, shown in place of its cron.
alter table schedules add column every text;
