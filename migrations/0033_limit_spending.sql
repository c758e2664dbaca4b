-- What calls of models cost, by the day of the call in UTC. Each process adds what its calls cost every few seconds. An empty text:
-- no agent, the model of the settings, a request to the API.
create table spending (
  day date, user_id text, agent text, model text, source text,
  calls bigint not null, unpriced_calls bigint not null, cost double precision not null,
  primary key (day, user_id, agent, model, source)
);
create index spending_by_user on spending (user_id, day);
alter table spending enable row level security;
create policy own on spending for select using (user_id = caller_id() or caller_is_admin());

-- The only row has the spending limits, as JSON.
create table spending_limits (one boolean primary key default true check (one), limits text not null);
alter table spending_limits enable row level security;

-- A limit in one period, such as `team/day/2026-11-28`: when admins were warned, when it was reached and they were asked, and what was
-- decided. `resumed_at`: the tasks that it had paused go on.
create table spending_marks (
  key text primary key,
  warned_at timestamptz, asked_at timestamptz, resumed_at timestamptz,
  decision text check (decision in ('go_on', 'stop'))
);
alter table spending_marks enable row level security;
