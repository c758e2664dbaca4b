-- Messages without a key are claimed in the order of this index; of those with a key, `inbound_messages_by_key` has the oldest
-- first. One index for both would put all messages of a long queue before those that may be claimed.
drop index inbound_messages_due;
create index inbound_messages_due on inbound_messages (source, type, ordering_key, due_at, position) where due_at is not null;
