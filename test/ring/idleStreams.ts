import { Effect, type Redacted, type Scope } from "effect"
import { type ClientRequest, get } from "node:http"
import { query } from "../support/Database.ts"

/** Opens a stream, which stays open until the scope closes, and returns with its first bytes. */
const openStream = (port: number, id: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ClientRequest>((resume) => {
      const request = get({ host: "127.0.0.1", port, path: `/task/${id}/events`, agent: false }, (response) => {
        if (response.statusCode !== 200) return resume(Effect.dieMessage(`The stream of ${id}: ${response.statusCode}`))
        response.once("data", () => resume(Effect.succeed(request)))
        response.on("error", () => {})
      })
      request.on("error", (cause) => resume(Effect.die(cause)))
    }),
    (request) => Effect.sync(() => request.destroy())
  )

/** Tasks that wait for an answer, as rows of their own, and a stream of the events of each. */
export const openIdleStreams = (url: Redacted.Redacted, port: number, count: number) =>
  Effect.gen(function*() {
    const idOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`
    const ids = Array.from({ length: count }, (_, at) => idOf(at + 1))
    yield* query(
      url,
      `insert into tasks (id, created_at, creator, description, task_type)
select unnest($1::uuid[]), now(), 'default', 'waits', 'task'`,
      [ids]
    )
    yield* query(
      url,
      `insert into actors (task_id, shard, creator, updated_at, status, wake_at, last_tool_call_id)
select id, 1 + (row_number() over ())::integer % 300, creator, now(), 'waiting_input', null, 'call'
from tasks where id = any($1)`,
      [ids]
    )
    yield* Effect.forEach(ids, (id) => openStream(port, id), { concurrency: 20, discard: true })
    const deleteTasks = Effect.zipRight(
      query(url, "delete from actors where task_id = any($1)", [ids]),
      query(url, "delete from tasks where id = any($1)", [ids])
    )
    return { deleteTasks }
  })
