-- A further ingress needs no migration.
alter table inbound_messages drop constraint inbound_messages_source_check;
