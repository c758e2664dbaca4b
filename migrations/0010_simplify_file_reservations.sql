-- A reservation is a row that fits or ends, whichever process made it.
drop function reserve_files(uuid, text, uuid, float8, float8, float8, float8, float8, float8, timestamptz, boolean);
alter table file_reservations drop column holder, drop column is_final;

-- Reserves bytes and files if they fit beside what a process measured (`stored_*`), what others have reserved, and what was
-- written since the measurement; else the reservation ends and the result is null. `ahead_bytes` are reserved too while 16
-- times as many are free, since others can't use them. The second statement sees what was committed before the lock.
create function reserve_files(
  reservation uuid, of_user text, wanted_bytes float8, wanted_files float8, ahead_bytes float8, stored_bytes float8,
  stored_files float8, limit_bytes float8, limit_files float8, measured timestamptz
) returns float8 language sql as $$
  select pg_advisory_xact_lock(hashtextextended('troupe file reservations ' || of_user, 0));

  with counted as (
    select stored_bytes + coalesce(sum(bytes), 0) as bytes, stored_files + coalesce(sum(files), 0) as files
    from file_reservations
    where user_id = of_user and id <> reservation and expires_at >= clock_timestamp()
      and (settled_at is null or settled_at >= measured)
  ), reserved as (
    insert into file_reservations as r (id, user_id, bytes, files, expires_at)
    select reservation, of_user,
      wanted_bytes + case when bytes + wanted_bytes + 16 * ahead_bytes <= limit_bytes then ahead_bytes else 0 end,
      wanted_files, clock_timestamp() + interval '2 minutes'
    from counted
    where (wanted_bytes <= 0 or bytes + wanted_bytes <= limit_bytes)
      and (wanted_files <= 0 or files + wanted_files <= limit_files)
    on conflict (id) do update set bytes = excluded.bytes, files = excluded.files, expires_at = excluded.expires_at
    returning r.bytes
  ), ended as (
    delete from file_reservations where id = reservation and not exists (select from reserved)
  )
  select bytes from reserved;
$$;
