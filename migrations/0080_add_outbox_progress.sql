-- What an attempt is about to do, or has done, for the one after it. Only the channel reads it.
alter table outbox add column progress text;
