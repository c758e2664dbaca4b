import type { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { eventually } from "./Eventually.ts"
import { Wire } from "./TaskWorld.ts"

export const countTasks = Effect.map(
  Effect.flatMap(Wire, ({ query }) => query("select from tasks")),
  (rows) => rows.length
)

/** How many rows each table has of a task. */
export const rowsOf = (id: TaskId) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const counts: Record<string, number> = {}
    for (const table of ["tasks", "actors", "steps", "inbox", "idempotency_keys", "notifications"]) {
      const column = table === "tasks" ? "id" : "task_id"
      const rows = yield* query(`select from ${table} where ${column} = $1`, [id])
      counts[table] = rows.length
    }
    return counts
  })

/** The actor's row. */
export interface ActorRow {
  readonly shard: number
  readonly epoch: number
  readonly seq: number
  readonly status: string
  readonly attempts: number
  readonly process_deaths: number
  readonly lone_deaths: number
  readonly claim_kind: string | null
  readonly progress: number
  readonly inbox_sent: number
  readonly wake_at: Date | null
  readonly updated_at: Date
  readonly runner: string | null
  readonly queued_by: string | null
  readonly job_seq: number | null
  readonly question: string | null
  readonly last_tool_call_id: string | null
  readonly error: string | null
  readonly plan_seq: number | null
}

export const rowOf = (id: TaskId): Effect.Effect<ActorRow, never, Wire> =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const [row] = yield* query<ActorRow>("select * from actors where task_id = $1", [id])
    return row ?? (yield* Effect.dieMessage(`There is no actor row of ${id}`))
  })

export const statusOf = (id: TaskId) => Effect.map(rowOf(id), ({ status }) => status)

export const becomes = (id: TaskId, status: string) => eventually(statusOf(id), (current) => current === status)

/** The bodies of a task's steps, parsed. */
export const stepsOf = (id: TaskId) =>
  Effect.flatMap(Journal, (journal) => journal.read(id, 0)).pipe(Effect.map((steps) => steps.map(({ step }) => step)))

export const kindsOf = (id: TaskId) => Effect.map(stepsOf(id), (steps) => steps.map(({ kind }) => kind))

/** Makes a task due that waits for its time. The column rounds up to half a millisecond, so that `now()` may be too late. */
export const makeDue = (id: TaskId) =>
  Effect.flatMap(
    Wire,
    ({ query }) => query("update actors set wake_at = date_trunc('milliseconds', now()) where task_id = $1", [id])
  )
