-- One row per user with memories, which every change to them goes through: a writer raises `version` from the number that
-- it read. Of two writers with the same version, the second one conflicts and retries. A process that caches vectors reads
-- the rows newer than its cached version, and reloads all of them when `removals` has changed.
create table memory_owners (
  user_id text primary key, version integer not null, removals integer not null default 0, memories integer not null
);

create table memories (
  user_id text, id uuid,
  content text not null, tags text[] not null default '{}',
  -- The task that it is about, when it was saved by the end of one and not by an agent.
  task_id uuid,
  -- Vectors are comparable only where provider, model and dimensions are the same. They have length 1.
  model text not null, dimensions integer not null, vector real[] not null,
  version integer not null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  primary key (user_id, id)
);

-- Compressing random digits costs time and saves nothing.
alter table memories alter column vector set storage external;

-- Reads the memories that changed since a process read them, and those of an earlier model, which are not the newest.
create index memories_by_change on memories (user_id, version, id);

-- Tasks whose end was looked at for a memory, so that each gives one at most. Deleted ones are among them: they give none, and
-- the transaction that deleted one is the position of its last event. Deleted after two days.
create table remembered_tasks (
  task_id uuid primary key, at timestamptz(3) not null default clock_timestamp(), xact_id xid8
);

-- Deletes old marks.
create index remembered_tasks_by_age on remembered_tasks using brin (at);
-- The events of deleted tasks, in the order of `tasks_by_xact`.
create index remembered_tasks_by_xact on remembered_tasks (xact_id) where xact_id is not null;

-- What processes with the same storage have reserved of users' quotas, and what they wrote shortly ago. A row of a process
-- that was killed expires; the hourly housekeeping deletes it.
create table file_reservations (
  -- A UUIDv7: of two uploads that don't fit together, the earlier one may grow.
  id uuid primary key,
  user_id text not null,
  -- The process that counts it by itself.
  holder uuid not null,
  bytes double precision not null, files double precision not null,
  -- Nothing that is reserved later takes it away.
  is_final boolean not null,
  -- When the file was in its place, where a later measurement finds it.
  settled_at timestamptz,
  expires_at timestamptz not null
);

-- Sums what others have reserved.
create index file_reservations_by_user on file_reservations (user_id, expires_at);

-- Reserves bytes and files if they fit beside what the holder counts (`counted_*`, these included) and what other holders
-- have reserved or written since the holder measured the disk. The second statement sees what was committed before the lock.
create function reserve_files(
  reservation uuid, of_user text, of_holder uuid, wanted_bytes float8, wanted_files float8, counted_bytes float8,
  counted_files float8, limit_bytes float8, limit_files float8, measured timestamptz, finally boolean
) returns boolean language sql as $$
  select pg_advisory_xact_lock(hashtextextended('troupe file reservations ' || of_user, 0));

  with reserved as (
    insert into file_reservations as r (id, user_id, holder, bytes, files, is_final, expires_at)
    select reservation, of_user, of_holder, wanted_bytes, wanted_files, finally, clock_timestamp() + interval '2 minutes'
    from (
      select coalesce(sum(bytes), 0) as bytes, coalesce(sum(files), 0) as files from file_reservations
      where user_id = of_user and holder <> of_holder and expires_at >= clock_timestamp()
        and case when settled_at is null then is_final or id < reservation else settled_at >= measured end
    ) others
    where (wanted_bytes <= 0 or counted_bytes + others.bytes <= limit_bytes)
      and (wanted_files <= 0 or counted_files + others.files <= limit_files)
    on conflict (id) do update
      set bytes = excluded.bytes, files = excluded.files, is_final = excluded.is_final, expires_at = excluded.expires_at
    returning 1
  )
  select exists (select from reserved);
$$;
