import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { query } from "../support/Database.ts"
import type { Deployment } from "../support/Deployment.ts"
import { type givenAnn, secret, type Send } from "./members.ts"

/** All of Ann as she sees it herself, and as it is stored. */
export const snapshot = (
  ann: Send,
  { annId, channelId, scheduleId, subscriptionId, taskId }: Effect.Effect.Success<ReturnType<typeof givenAnn>>,
  deployment: Deployment
) =>
  Effect.gen(function*() {
    const seen = yield* Effect.forEach(
      [
        `/users/${annId}/notifications`,
        `/users/${annId}/memories`,
        `/api/schedules/${scheduleId}`,
        `/api/subscriptions/${subscriptionId}`,
        `/api/subscriptions/${subscriptionId}/deliveries`,
        `/api/channels/${channelId}`,
        `/api/channels/${channelId}/members`,
        `/files/${annId}/folder/notes.txt`,
        `/task/${taskId}`,
        `/task/${taskId}/messages`
      ],
      (path) =>
        Effect.map(ann("GET", path), ({ status, text }) => {
          assert.strictEqual(status, 200, path)
          assert.include(text, secret, `${path}: ${text}`)
          // The service looks at the health of a schedule by itself.
          return text.replace(/"health":\{[^}]*\}/, "")
        })
    )
    const rows = yield* Effect.forEach(
      ["users where id", "memories where user_id", "schedules where user_id", "subscriptions where user_id"].map((
        from
      ) => `select * from ${from} = $1`),
      (text) => query(deployment.url, text, [annId])
    )
    const folder = join(deployment.storage, annId)
    const files = yield* Effect.promise(async () =>
      Promise.all(
        (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
          .map(({ name, parentPath }) => join(parentPath, name)).sort()
          .map(async (path) => [path, await readFile(path, "utf8")])
      )
    )
    const servers = yield* query(deployment.url, "select version::integer from tool_server_config")
    return { seen, rows, files, servers }
  })
