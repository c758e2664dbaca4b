-- Searches compare the vectors themselves; nothing reads sketches any more.
alter table memories drop column sketch;
