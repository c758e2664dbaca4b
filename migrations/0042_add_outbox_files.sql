-- The copies of files that a message takes along, by their SHA-256: they are kept until it is sent.
alter table outbox add column files text[];
create index outbox_with_files on outbox (id) where files is not null and state <> 'sent';
