-- Users whose data is being deleted. A row is written before anything is deleted and removed after everything is, so one
-- that stays belongs to a deletion that was interrupted, and the service finishes it.
create table erasures (
  user_id text primary key,
  began_at timestamptz not null default clock_timestamp()
);

-- No policy: only the service reads and writes it.
alter table erasures enable row level security;
