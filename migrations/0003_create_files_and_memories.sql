-- One row per user with memories, which every change to them goes through: a writer raises `version` from the number that
-- it read. Of two writers with the same version, the second one conflicts and retries. A process that caches vectors reads
-- the rows newer than its cached version, and reloads all of them when `removals` has changed.
create table memory_owners (
  user_id text primary key,
  version integer not null,
  removals integer not null default 0,
  memories integer not null
);

create table memories (
  id uuid primary key,
  user_id text not null,
  content text not null,
  tags text[] not null default '{}',
  -- The task that it is about, when it was saved by the end of one and not by an agent.
  task_id uuid,
  -- Vectors are comparable only where provider, model and dimensions are the same. They have length 1.
  model text not null,
  dimensions integer not null,
  vector real[] not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- Compressing random digits costs time and saves nothing.
alter table memories alter column vector set storage external;

-- Reads the memories that changed since a process read them.
create index memories_by_change on memories (user_id, version, id);
-- Finds the memories of another model, to embed them anew.
create index memories_by_model on memories (user_id, model, dimensions);
-- Lists a user's memories.
create index memories_by_user on memories (user_id, id);

-- Tasks whose end was looked at for a memory, so that each gives one at most. Deleted ones are among them: they give none, and
-- the transaction that deleted one is the position of its last event.
create table remembered_tasks (
  task_id uuid primary key,
  at timestamptz(3) not null default clock_timestamp(),
  xact_id xid8
);

-- Deletes old marks.
create index remembered_tasks_by_age on remembered_tasks (at);
-- The events of deleted tasks, in the order of `tasks_by_xact`.
create index remembered_tasks_by_xact on remembered_tasks (xact_id) where xact_id is not null;

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

-- Sums what others have reserved.
create index file_reservations_by_user on file_reservations (user_id);
-- Deletes expired rows.
create index file_reservations_expired on file_reservations (expires_at);

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
