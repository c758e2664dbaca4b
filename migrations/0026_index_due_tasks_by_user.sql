-- Claims among more due tasks than one scan reads. The tasks that no runner has queued are found user by user, the oldest of
-- each first, so that no user waits behind the tasks of another one and none has to be queued before the first is claimed. The
-- condition differs from that of `actors_due` in its words alone, so that each statement fits one of the two.
create index actors_due_by_user on actors (creator, wake_at)
  where wake_at is not null and coalesce(queued_by, '-') = '-';

-- The order of time needs no further columns: each row that it finds is read.
drop index actors_due;
create index actors_due on actors (wake_at) where wake_at is not null and queued_by is null;
