import { Effect } from "effect"
import { request } from "node:http"
import type { Client } from "pg"
import { round } from "./Line.ts"
import { ask, uncounted } from "./Postgres.ts"

/** What the console reads, for a user of `fill` and its last task. */
const readsOf = (task: string): ReadonlyArray<string> => [
  "/tasks?limit=100",
  ...["pending", "running", "waiting_input", "waiting_subagents", "completed", "failed"].map((status) =>
    `/tasks?limit=100&status=${status}`
  ),
  "/tasks?limit=100&cancelled=true",
  "/tasks?limit=100&archived=true",
  "/tasks?limit=100&creator=user-7",
  "/tasks?limit=100&creator=user-7&status=completed",
  "/tasks?limit=100&creator=user-7&status=waiting_input",
  "/tasks?limit=100&project_id=project-30",
  "/tasks?limit=100&project_id=project-30&status=failed",
  "/tasks?limit=100&source=email",
  "/tasks?limit=100&source=api",
  "/tasks?limit=100&source=schedule",
  "/tasks?limit=100&webhook_type=orders",
  "/tasks?limit=100&task_type=subtask",
  "/tasks?limit=100&q=zebra",
  "/tasks?limit=100&q=figures",
  "/tasks?limit=100&q=zq",
  "/tasks?limit=100&q=zq&creator=user-7",
  "/tasks?limit=100&q=zq&status=completed",
  "/tasks/counts",
  "/tasks/counts?creator=user-7",
  "/tasks/counts?project_id=project-30",
  "/tasks/counts?q=zq",
  `/task/${task}`,
  `/task/${task}/steps`,
  `/task/${task}/messages`,
  "/worker/health",
  "/api/health",
  "/system/info",
  "/system/storage",
  ...["day", "week", "month"].map((period) => `/system/history?period=${period}`),
  "/users?limit=100",
  "/users/user-7/usage",
  "/users/user-7/notifications",
  "/users/user-7/notifications?unread_only=true",
  "/users/user-7/memories",
  "/users/user-7/memories?q=zq",
  "/api/outbox",
  "/api/schedules",
  "/webhook/deliveries",
  "/webhook/stats",
  "/api/subscriptions",
  "/api/mail/ignored"
]

export const maxReadBuffers = 5_000
const maxReadMillis = 100

interface Read {
  readonly path: string
  readonly status: number
  readonly buffers: number
  readonly millis: number
}

const get = (port: number, path: string) =>
  Effect.promise(() =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0))
      })
      sent.on("error", reject)
      sent.end()
    })
  )

/** Buffers of all statements of a database so far, and the time that they took. */
export const buffersOf = (admin: Client, database: string, like = "%"): Effect.Effect<Spent> =>
  Effect.map(ask<Spent>(admin, spending, [database, like]), ([spent = nothing]) => spent)

interface Spent {
  readonly buffers: number
  readonly millis: number
}
const nothing: Spent = { buffers: 0, millis: 0 }

const spending = `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers,
  coalesce(sum(total_exec_time), 0)::float8 as millis
from pg_stat_statements s join pg_database d on d.oid = s.dbid
where d.datname = $1 and query ilike $2 and position('${uncounted}' in query) = 0`

/** The buffers of each read, of three the fewest: a process beside it works, too. `admin` is on another database. */
export const reads = (
  { admin, database, port, task }: {
    readonly admin: Client
    readonly database: string
    readonly port: number
    readonly task: string
  }
): Effect.Effect<ReadonlyArray<Read>> =>
  Effect.forEach(readsOf(task), (path) =>
    Effect.gen(function*() {
      const once = Effect.gen(function*() {
        const before = yield* buffersOf(admin, database)
        const status = yield* get(port, path)
        const after = yield* buffersOf(admin, database)
        return { path, status, buffers: after.buffers - before.buffers, millis: round(after.millis - before.millis) }
      })
      const all = yield* Effect.replicateEffect(once, 3)
      return all.reduce((least, one) => one.buffers < least.buffers ? one : least)
    }))

export const isOver = ({ buffers, millis, status }: Read): boolean =>
  buffers > maxReadBuffers || millis > maxReadMillis || status !== 200
