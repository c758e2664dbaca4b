-- Who sent an inbound message: for chat, the platform's id of the person, as long as the content is kept, so that an erasure
-- finds it. `is_verified` is false where anybody could have sent it: its task gets tools that only read.
alter table inbound_messages
  add column sender text,
  add column is_verified boolean not null default true;

create index inbound_messages_by_sender on inbound_messages (sender) where sender is not null;
