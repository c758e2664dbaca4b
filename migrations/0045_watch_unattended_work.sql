-- What works without anybody who looks: schedules, types of webhooks, the mailbox, connections of tool servers; as the last look
-- found it. `id` is the id of a schedule; of a webhook type, mailbox or tool server it is the name.
create table unattended (
  kind text check (kind in ('schedule', 'webhook_type', 'mailbox', 'tool_server')), id text,
  name text not null,
  state text not null check (state in ('ok', 'late', 'failing', 'silent')), since timestamptz(3) not null,
  last_ok_at timestamptz(3), last_error text,
  failures_in_a_row integer not null default 0, missed integer not null default 0,
  -- Of a type of webhooks: its last delivery, from when on its silence counts (later than that by the time in which nobody
  -- looked), and the longest time between two deliveries, in milliseconds. Of the mailbox: when it was last read.
  last_event_at timestamptz(3), silent_from timestamptz(3), longest_gap double precision,
  looked_at timestamptz(3) not null,
  primary key (kind, id)
);
alter table unattended enable row level security;
create policy own on unattended for select using (
  caller_is_admin() or case when kind = 'schedule' then (
    select s.user_id = caller_id() from schedules s where s.id = unattended.id::uuid
  ) else false end
);

-- What a result must be for a run to count as one that worked, and what each task of the schedule may cost.
alter table schedules add column expects text check (expects in ('output'));
alter table schedules add column max_cost double precision check (max_cost > 0);

-- The day, in the person's time zone, of the last digest.
alter table users add column digest_on date;

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('completion', 'question', 'failure', 'reminder', 'alarm')) not valid;
