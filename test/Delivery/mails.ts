import { Effect } from "effect"
import { Wire } from "../support/TaskWorld.ts"

export const wants = (user: string, ways: ReadonlyArray<string>) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `insert into users (id, name, email, chat_user_id, notify_by) values ($1, $1, $1 || '@example.org', 'U-' || $1, $2)
       on conflict (id) do update set notify_by = excluded.notify_by, email = excluded.email`,
      [user, ways]
    ))

export const forgetUsers = Effect.flatMap(Wire, ({ query }) => query("truncate users"))
