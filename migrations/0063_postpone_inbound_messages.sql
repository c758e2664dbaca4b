-- How often a message was postponed because what it needs outside could not be reached. That is no attempt.
alter table inbound_messages add column postponed smallint not null default 0;
