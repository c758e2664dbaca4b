import { Effect } from "effect"
import { Wire } from "../support/TaskWorld.ts"

export const wants = (user: string, ways: ReadonlyArray<string>) =>
  Effect.flatMap(Wire, ({ query }) =>
    query(
      `with wanting as (
  insert into users (id, name, email, notify_by) values ($1, $1, $1 || '@example.org', $2)
  on conflict (id) do update set notify_by = excluded.notify_by, email = excluded.email returning id
)
insert into chat_accounts (platform, account, user_id) select 'slack', 'U-' || id, id from wanting on conflict do nothing`,
      [user, ways]
    ))

export const forgetUsers = Effect.flatMap(Wire, ({ query }) => query("truncate users, chat_accounts"))
