-- Changes of all tasks that match a filter. They are made slice by slice: `slice` has the tasks of the current one, so that
-- after a crash exactly these are looked at again, and each task is counted once.
create table bulk_operations (
  id uuid primary key,
  creator text not null,
  -- The caller's role at the request; a changed seat ends the operation.
  role text not null,
  action text not null check (action in ('cancel', 'retry', 'archive')),
  filter text not null,
  reason text,
  idempotency_key text,
  digest text not null,
  -- Tasks before this one, in the order of lists, have been looked at.
  cursor uuid not null,
  slice uuid[],
  matched integer not null default 0,
  done integer not null default 0,
  failed integer not null default 0,
  error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  unique (creator, idempotency_key)
);

-- What the job that makes the changes reads.
create index bulk_operations_open on bulk_operations (created_at) where finished_at is null;

alter table bulk_operations enable row level security;
create policy own on bulk_operations for all using (creator = caller_id() or caller_is_admin());
