-- A user's memories in the order in which they are listed.
create index memories_by_user on memories (user_id, id);
