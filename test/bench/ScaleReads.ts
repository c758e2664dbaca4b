import { Effect } from "effect"
import { request } from "node:http"
import type { Client } from "pg"
import { round } from "./Line.ts"
import { ask, uncounted } from "./Postgres.ts"

const statuses = ["pending", "running", "waiting_input", "waiting_subagents", "completed", "failed"]

/** The filters of the console's lists: by themselves, and those that it combines. `xylophone` is in a few tasks, `figures` in all. */
const filters = [
  "",
  ...statuses.map((status) => `status=${status}`),
  "cancelled=true",
  "status=failed&cancelled=false",
  "sleeping=true",
  "status=running&sleeping=false",
  "archived=true",
  "include_archived=true",
  "task_type=subtask",
  "created_from=2020-01-01&created_before=2030-01-01",
  "source=api",
  "source=email",
  "source=schedule",
  "source=chat",
  "webhook_type=orders",
  "agent=agent-3",
  "agent=agent-3&status=completed",
  "agent=agent-3&status=failed",
  "assignee=user-7",
  "project_id=project-30",
  "project_id=nothing",
  "source=email&status=failed",
  "source=email&status=waiting_input",
  "creator=user-7",
  ...["creator=user-7", "project_id=project-30"].flatMap((filter) =>
    [
      ...statuses.map((status) => `status=${status}`),
      "cancelled=true",
      "archived=true",
      "sleeping=true",
      "source=email",
      "q=zq",
      "q=figures",
      "q=xylophone"
    ]
      .map((more) => `${filter}&${more}`)
  ),
  ...["zebra", "xylophone", "figures", "figures%20of", "zq", "fi"].flatMap((
    q
  ) => [
    `q=${q}`,
    ...[
      "status=completed",
      "status=pending",
      "status=failed",
      "source=email",
      "include_archived=true",
      "task_type=subtask"
    ].map((more) => `q=${q}&${more}`)
  ])
]

const counted = [
  "",
  "creator=user-7",
  "project_id=project-30",
  "agent=agent-3",
  "source=email",
  "archived=true",
  "task_type=subtask",
  "cancelled=true",
  "sleeping=true",
  "q=zq",
  "q=zebra",
  "q=xylophone",
  "q=figures",
  "q=figures&creator=user-7",
  "q=zq&creator=user-7"
]

/** What the console reads, for a user of `fill` and its last task. */
const readsOf = (task: string): ReadonlyArray<string> => [
  ...filters.map((filter) => `/tasks?limit=100&${filter}`),
  ...counted.map((filter) => `/tasks/counts?${filter}`),
  // The inbox, and a project's.
  "/tasks?limit=200&status=waiting_input",
  "/tasks?limit=200&status=failed",
  "/tasks?limit=200&project_id=project-30&include_archived=true",
  `/tasks?limit=100&continued_from=${task}&include_archived=true`,
  `/task/${task}`,
  ...["steps", "messages", "subtasks", "worker-status", "export"].map((part) => `/task/${task}/${part}`),
  "/worker/health",
  "/api/health",
  "/system/info",
  "/system/storage",
  ...["day", "week", "month"].map((period) => `/system/history?period=${period}`),
  "/users?limit=100",
  "/users?limit=1000",
  "/users/user-7/usage",
  "/users/user-7/usage?from=2026-01-01",
  "/users/user-7/notifications",
  "/users/user-7/notifications?limit=200",
  "/users/user-7/notifications?limit=200&unread=true",
  "/users/user-7/memories",
  "/users/user-7/memories?q=zq",
  "/users/user-7/storage",
  "/files/user-7",
  "/api/approvals",
  "/api/limits",
  "/api/unattended",
  "/api/outbox",
  "/api/outbox?state=failed",
  "/api/schedules",
  "/webhook/deliveries",
  "/webhook/stats",
  "/webhook/health",
  "/api/subscriptions",
  "/api/mail/ignored",
  "/api/policy/tools",
  "/metrics"
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
