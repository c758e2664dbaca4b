import { Effect, type Redacted } from "effect"
import { query } from "../support/Database.ts"

/** Tasks that wait for an answer, as many as no test could submit one by one. */
export const givenWaitingTasks = (url: Redacted.Redacted, count: number): Effect.Effect<unknown> =>
  query(
    url,
    `with numbered as (
  select i, ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid as id from generate_series(1, $1::integer) i
), made as (
  insert into tasks (id, created_at, creator, description, task_type)
  select id, now() - interval '1 day', 'default', 'Many number ' || i, 'task' from numbered
)
insert into actors (task_id, shard, creator, updated_at, status, last_tool_call_id, question)
select id, 1, 'default', now(), 'waiting_input', 'call_1', 'Which one?' from numbered`,
    [count]
  )

export const longTask = "019b0000-0000-7000-8000-000000000001"

/** A finished task of so many steps. */
export const givenLongTask = (url: Redacted.Redacted, steps: number): Effect.Effect<unknown> =>
  Effect.zipRight(
    query(
      url,
      `with made as (
  insert into tasks (id, created_at, creator, title, description, task_type)
  values ($1::uuid, now() - interval '9 hours', 'default', 'Index the archive', 'Index it', 'task')
)
insert into actors (task_id, shard, creator, updated_at, status, completed_at, started_at, seq)
values ($1::uuid, 1, 'default', now(), 'completed', now(), now() - interval '9 hours', $2::integer)`,
      [longTask, steps]
    ),
    query(
      url,
      `insert into steps (task_id, seq, at, body, xact_id)
select $1::uuid, seq, now() - interval '9 hours' + seq * interval '1.4 seconds', case
  when seq = 1 then '{"kind":"woken","epoch":1,"reason":"first","runner":"127.0.0.1:1"}'
  when seq % 2 = 0 then '{"kind":"model","message":{"content":"","tool_calls":[{"id":"c' || seq
    || '","name":"list_directory","arguments":"{}"}]},"tokens":[900,10],"millis":800}'
  else '{"kind":"results","results":[{"message":{"tool_call_id":"c' || seq - 1
    || '","name":"list_directory","content":"page ' || seq || '"},"millis":400}]}' end, null
from generate_series(1, $2::integer) seq`,
      [longTask, steps]
    )
  )

export const crashedTask = "019c0000-0000-7000-8000-000000000001"

/** A task that crashed twice and is tried again in ten minutes. */
export const givenCrashedTask = (url: Redacted.Redacted): Effect.Effect<unknown> =>
  query(
    url,
    `with made as (
  insert into tasks (id, created_at, creator, description, task_type)
  values ($1::uuid, now(), 'default', 'Crash', 'task')
), journalled as (
  insert into steps (task_id, seq, body)
  values ($1::uuid, 1, '{"kind":"crashed","reason":"a bug","retryAt":1,"attempt":3,"attempts":4}')
)
insert into actors (task_id, shard, creator, updated_at, status, seq, attempts, wake_at)
values ($1::uuid, 1, 'default', now(), 'running', 1, 2, now() + interval '10 minutes')`,
    [crashedTask]
  )

export const overBudgetTask = "019d0000-0000-7000-8000-000000000001"

/** A task whose token budget was too small for its first model call. */
export const givenOverBudget = (url: Redacted.Redacted): Effect.Effect<unknown> =>
  query(
    url,
    `with made as (
  insert into tasks (id, created_at, creator, description, task_type, token_budget)
  values ($1::uuid, now(), 'default', 'Count to twelve', 'task', 4000)
)
insert into actors (task_id, shard, creator, updated_at, status, completed_at, error)
values ($1::uuid, 1, 'default', now(), 'failed', now(),
  'The first model call takes about 5000 tokens, and 4000 of the token budget of 4000 are left.')`,
    [overBudgetTask]
  )

/** So many failures and results that somebody has not seen. */
export const givenNotifications = (url: Redacted.Redacted, count: number): Effect.Effect<unknown> =>
  query(
    url,
    `insert into notifications (user_id, id, kind, title, body)
select 'default', ('019e0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
  case when i % 3 = 0 then 'failure' else 'completion' end, 'Nightly report ' || i, '**Done**: ' || repeat('words ', 40)
from generate_series(1, $1::integer) i`,
    [count]
  )
