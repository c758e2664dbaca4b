-- The member whose task an inbound message becomes: who has sent it with a token. Null: nobody has signed in, as always if
-- self-hosted. The index is for erasures, which empty what would make more tasks.
alter table inbound_messages add column creator text;

create index inbound_messages_by_creator on inbound_messages (creator) where creator is not null and state <> 'done';
