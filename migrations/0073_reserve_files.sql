-- What processes with the same storage have reserved of users' quotas, and what they wrote shortly ago. A row of a process
-- that was killed expires.
create table file_reservations (
  -- A UUIDv7: of two uploads that don't fit together, the earlier one may grow.
  id uuid primary key,
  user_id text not null,
  -- The process that counts it by itself.
  holder uuid not null,
  bytes double precision not null,
  files double precision not null,
  -- Nothing that is reserved later takes it away.
  is_final boolean not null,
  -- When the file was in its place, where a later measurement finds it.
  settled_at timestamptz,
  expires_at timestamptz not null
);

create index file_reservations_by_user on file_reservations (user_id);
create index file_reservations_expired on file_reservations (expires_at);

-- No policy: only the service reads and writes it.
alter table file_reservations enable row level security;

-- Reserves bytes and files if they fit beside what the holder counts (`counted_*`, these included) and what other holders
-- have reserved or written since the holder measured the disk. The lock lasts as long as this one statement.
create function reserve_files(
  reservation uuid, of_user text, of_holder uuid, wanted_bytes double precision, wanted_files double precision,
  counted_bytes double precision, counted_files double precision, limit_bytes double precision,
  limit_files double precision, measured timestamptz, finally boolean
) returns boolean
language plpgsql as $$
declare
  other_bytes double precision;
  other_files double precision;
begin
  perform pg_advisory_xact_lock(hashtextextended('troupe file reservations ' || of_user, 0));
  delete from file_reservations where id in (
    select id from file_reservations where expires_at < clock_timestamp() limit 100 for update skip locked
  );
  select coalesce(sum(bytes), 0), coalesce(sum(files), 0) into other_bytes, other_files
  from file_reservations
  where user_id = of_user and holder <> of_holder and expires_at >= clock_timestamp()
    and case when settled_at is null then is_final or id < reservation else settled_at >= measured end;
  if (wanted_bytes > 0 and counted_bytes + other_bytes > limit_bytes)
    or (wanted_files > 0 and counted_files + other_files > limit_files) then
    return false;
  end if;
  insert into file_reservations as r (id, user_id, holder, bytes, files, is_final, expires_at)
  values (reservation, of_user, of_holder, wanted_bytes, wanted_files, finally, clock_timestamp() + interval '2 minutes')
  on conflict (id) do update
    set bytes = excluded.bytes, files = excluded.files, is_final = excluded.is_final, expires_at = excluded.expires_at;
  return true;
end $$;
