import { Effect } from "effect"

/** A row of the user `$1` in each of these tables; in a channel, if there is one. */
const insertions: Readonly<Record<string, string>> = {
  bulk_operations: `insert into bulk_operations (id, creator, role, action, filter, digest, cursor)
    values (gen_random_uuid(), $1, 'member', 'cancel', '{}', '', gen_random_uuid())`,
  channel_messages: `insert into channel_messages (channel_id, ts, user_id, content, said_at)
    select channel_id, '1.5', $1, 'Hi', now() from channels`,
  chat_accounts:
    "insert into chat_accounts (platform, account, user_id) values ('slack', 'U-' || $1, $1) on conflict do nothing",
  file_reservations: `insert into file_reservations (id, user_id, bytes, files, expires_at)
    values (gen_random_uuid(), $1, 1, 1, now() + interval '1 hour')`,
  memories: `insert into memories (id, user_id, content, model, dimensions, vector, version, created_at, updated_at)
    values (gen_random_uuid(), $1, 'Likes tea', 'm', 1, '{1}', 1, now(), now())`,
  memory_owners: "insert into memory_owners (user_id, version, memories) values ($1, 1, 1)",
  notifications: `insert into notifications (id, user_id, kind, title, body)
    values (gen_random_uuid(), $1, 'reminder', 'Tea', 'Now')`,
  outbox: `insert into outbox (id, channel, recipient, kind, user_id, payload)
    values (gen_random_uuid(), 'email', 'a', 'k', $1, '{}')`,
  schedules: `insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
    values (gen_random_uuid(), $1, 'reminder', 'Stretch', '0 9 * * *', 'UTC', now())`,
  spending: "insert into spending values ('2026-01-01', $1, '', 'm', '', 1, 0, 0.5)",
  subscriptions: `insert into subscriptions (id, user_id, url, events, tasks, secret)
    values (gen_random_uuid(), $1, 'https://example.org', '{task.failed}', 'own', '{"plain": "secret"}')`,
  user_hours: "insert into user_hours values ($1, '2026-01-01 10:00:00Z', 1, 0, 0, 0, 0, 0, null)"
}

/** Inserts the rows of a user by `query`, which the world of the test has. */
export const insertRows = <E, R>(
  query: (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<unknown, E, R>,
  user: string,
  except: ReadonlyArray<string> = []
): Effect.Effect<void, E, R> =>
  Effect.forEach(
    Object.entries(insertions).filter(([table]) => !except.includes(table)),
    ([, insertion]) => query(insertion, [user]),
    { discard: true }
  )
