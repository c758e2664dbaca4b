-- What the files of a user take, as all processes with the same storage count it. The lock of the row orders their writes.
create table file_usage (
  user_id text primary key,
  bytes double precision not null,
  files double precision not null,
  measured_at timestamptz not null
);

-- No policy: only the service reads and writes it.
alter table file_usage enable row level security;
