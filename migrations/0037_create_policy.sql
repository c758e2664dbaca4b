-- Each revision of the rules about tool calls; the last one holds. JSON that only the service reads.
create table policies (
  revision integer primary key,
  preset text not null, rules text not null, classes text not null,
  -- Null: it was seeded by a file.
  author text,
  created_at timestamptz(3) not null default now()
);
alter table policies enable row level security;

-- A tool call that waits, or has waited, for a person. What it is bound to is in `digest`, and in the step that asked.
create table approvals (
  id uuid primary key, task_id uuid not null, tool_call_id text not null,
  tool text not null, server text, class text not null, outside_since integer, private_since integer,
  arguments text not null, files text not null, parameters text not null,
  rule integer, because text, preset text not null, binding text not null, who text[] not null,
  status text not null default 'open',
  decided_by text, decided_at timestamptz(3), via text, reason text, edited boolean not null default false,
  created_at timestamptz(3) not null,
  -- When the approvers are reminded next; null once it is decided.
  remind_at timestamptz(3), reminders smallint not null default 0
);

-- Those of a task, and of two for one call the open one.
create index approvals_by_task on approvals (task_id, id);
-- The list of all, newest first, and of the open ones.
create index approvals_by_id on approvals (id) where status = 'open';
-- Who is to be reminded.
create index approvals_to_remind on approvals (remind_at) where remind_at is not null;

alter table approvals enable row level security;
create policy readers_read on approvals for select using (
  caller_is_admin() or caller_id() = any(who) or (
    select caller_id() in (t.creator, t.assignee) from tasks t where t.id = approvals.task_id
  )
);

-- Equal calls that need no approval any more.
create table grants (
  id uuid primary key, tool text not null, binding text not null, scope text not null,
  task_id uuid, schedule_id uuid, agent text, person text, project text,
  -- JSON: the arguments that must have these values, by JSON pointer.
  values text not null,
  granted_by text not null, created_at timestamptz(3) not null default now(), used_at timestamptz(3),
  uses integer not null default 0
);

-- Those for a call.
create index grants_by_tool on grants (tool);
create index grants_by_task on grants (task_id) where task_id is not null;
alter table grants enable row level security;
create policy own on grants for select using (caller_id() in (granted_by, person) or caller_is_admin());

-- The task has asked for approval of calls, so that only the rows of such a task look for them.
alter table actors add column has_approvals boolean not null default false;
