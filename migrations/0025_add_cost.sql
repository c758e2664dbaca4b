-- What the task's model calls cost by the prices at their time; null without a call, and as soon as one had no price.
alter table actors add column cost double precision;
