-- How much of its quota each caller has used: when the quota is full again. Each request moves that time on. Unlogged,
-- because after a crash every caller may begin anew.
create unlogged table rate_limits (
  caller text primary key,
  full_at timestamptz not null
) with (fillfactor = 50);
