-- How much of its quota each caller has used: when the quota is full again. Each request moves that time on. Unlogged,
-- because after a crash every caller may begin anew.
create unlogged table rate_limits (caller text primary key, full_at timestamptz not null) with (fillfactor = 50);

-- The jobs that run by the clock, as the process that runs each wrote last: one row for a job of the cluster, one per
-- process for a job that every process runs for itself.
create table scheduled_jobs (
  name text,
  scope text not null check (scope in ('process', 'cluster')),
  -- The runner's address, or an id of a process that is no runner.
  process text not null,
  holder text generated always as (case scope when 'process' then process else '' end) stored,
  last_run_at timestamptz(3), next_run_at timestamptz(3) not null, last_error text,
  primary key (name, holder)
);
