import type { SqlError } from "@effect/sql/SqlError"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { AgentType, TaskStatus, TaskType, ToolAccess } from "@troupe/domain/Task"
import { Context, Effect, Layer, Schema } from "effect"
import { PreparedStatements, type Row } from "../Runtime/PreparedStatements.ts"
import { clock, release, stale, take } from "./ClaimStatements.ts"
import type { ClaimKind } from "./ProcessDeaths.ts"
import { shardMarks, Shards } from "./Shards.ts"
import { claimed } from "./TaskMetrics.ts"
import { TaskSignals } from "./TaskSignals.ts"

export class Claim extends Schema.Class<Claim>("troupe/Task/Claims/Claim")({
  taskId: TaskId,
  epoch: Schema.Int,
  seq: Schema.Int,
  now: Schema.Int,
  status: TaskStatus,
  progress: Schema.Int,
  attempts: Schema.Int,
  deaths: Schema.Int,
  loneDeaths: Schema.Int,
  claimKind: Schema.NullOr(Schema.Literal("recovered", "moved", "alone", "retried")),
  inboxSent: Schema.Int,
  creator: UserId,
  type: TaskType,
  agentType: Schema.NullOr(AgentType),
  toolAccess: ToolAccess,
  input: Schema.String,
  context: Schema.NullOr(Schema.String),
  projectId: Schema.NullOr(Schema.String),
  attachments: Schema.Array(Schema.String),
  tokenBudget: Schema.NullOr(Schema.Int),
  maxIterations: Schema.NullOr(Schema.Int)
}) {
  time: { readonly from: bigint; readonly to: bigint } | null = null

  /** The run calls it once the task got beyond the step during which its process had ended; the waker sets it. */
  onProgress: () => void = () => {}

  get isFresh(): boolean {
    return this.seq === 1
  }
}

export interface ClaimResult {
  readonly claims: ReadonlyArray<Claim>
  readonly hasMore: boolean
}

/**
 * Claims due tasks of shards whose lock this runner holds in the database, oldest first within a user and round-robin
 * between users. A claim raises the epoch and appends the `woken` step. Tasks beyond the slots are queued here.
 */
export class Claims extends Context.Tag("troupe/Task/Claims")<Claims, {
  /**
   * At most `free` tasks, and `perUser` of one user with the `active` ones, starting after the user `after`. `since`
   * leaves out what is due for longer. `suspect`: one may be a suspect (ProcessDeaths); `isAlone`: no running task
   * counts a death.
   */
  readonly take: (wanted: {
    readonly free: number
    readonly perUser: number
    readonly after: string
    readonly active: ReadonlyMap<TaskId, string>
    readonly since?: number
    readonly suspect?: { readonly isAlone: boolean } | null
  }) => Effect.Effect<ClaimResult, SqlError>
  /** Hands tasks back without counting an attempt. */
  readonly release: (claims: ReadonlyArray<{ readonly taskId: TaskId; readonly epoch: number }>) => Effect.Effect<void>
  /** Those of the tasks that another claim or a command has taken: their epoch was raised, or they were deleted. */
  readonly stale: (
    held: ReadonlyArray<{ readonly taskId: TaskId; readonly epoch: number }>
  ) => Effect.Effect<ReadonlyArray<TaskId>, SqlError>
}>() {
  static readonly layer = (options: {
    readonly lockExpirationSeconds: number
  }): Layer.Layer<Claims, never, PreparedStatements | Shards | TaskSignals> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const database = yield* PreparedStatements
        const shards = yield* Shards
        const { origin } = yield* TaskSignals
        const time = yield* Effect.clock
        let start: string | null = null
        const startedAt = Effect.suspend(() =>
          start === null
            ? Effect.map(database.execute(clock, []), ([row]) => (start = row?.["now"] as string))
            : Effect.succeed(start)
        )
        const timed = (taking: Effect.Effect<ClaimResult, SqlError>) =>
          Effect.suspend(() => {
            const from = time.unsafeCurrentTimeNanos()
            return Effect.tap(taking, ({ claims }) =>
              Effect.sync(() => {
                const interval = { from, to: time.unsafeCurrentTimeNanos() }
                for (const claim of claims) claim.time = interval
              }))
          })
        return Claims.of({
          take: ({ active, after, free, perUser, since = null, suspect = null }) => {
            const taking = startedAt.pipe(
              Effect.flatMap((started) =>
                database.execute(take, [
                  shards.address,
                  options.lockExpirationSeconds,
                  shardMarks(shards.owned()),
                  free,
                  perUser,
                  after,
                  [...active.keys()],
                  [...active.values()],
                  since,
                  suspect !== null,
                  suspect?.isAlone === true,
                  started
                ])
              ),
              Effect.map(fromRows)
            )
            return timed(taking)
          },
          release: (claims) =>
            claims.length === 0 ? Effect.void : database.execute(release, [
              claims.map((claim) => claim.taskId),
              claims.map((claim) => claim.epoch),
              origin
            ]).pipe(Effect.ignore),
          stale: (held) =>
            held.length === 0 ? Effect.succeed([]) : database.execute(stale, [
              held.map((claim) => claim.taskId),
              held.map((claim) => claim.epoch)
            ]).pipe(Effect.map((rows) => rows.map((row) => row["task_id"] as TaskId)))
        })
      })
    )
}

const fromRows = (rows: ReadonlyArray<Row>): ClaimResult => ({
  claims: rows.flatMap((row) => row["task_id"] === null ? [] : [counted(row)]),
  hasMore: rows[0]?.["has_more"] === true
})

const counted = (row: Row): Claim => {
  const claim = fromRow(row)
  claimed(
    claim.isFresh ? "first" : claim.attempts > 1 || claim.deaths > 0 ? "recovery" : "resume",
    row["waited"] as number
  )
  return claim
}

// The row comes from our own statement, whose columns the table's constraints guard.
const fromRow = (row: Row): Claim =>
  new Claim({
    taskId: row["task_id"] as TaskId,
    epoch: row["epoch"] as number,
    seq: row["seq"] as number,
    now: row["now"] as number,
    status: row["status"] as TaskStatus,
    progress: row["progress"] as number,
    attempts: row["attempts"] as number,
    deaths: row["process_deaths"] as number,
    loneDeaths: row["lone_deaths"] as number,
    claimKind: row["claim_kind"] as ClaimKind | null,
    inboxSent: row["inbox_sent"] as number,
    creator: row["creator"] as UserId,
    type: row["task_type"] as TaskType,
    agentType: row["agent_type"] as AgentType | null,
    toolAccess: row["tool_access"] as ToolAccess,
    input: row["description"] as string,
    context: row["context"] as string | null,
    projectId: row["project_id"] as string | null,
    attachments: row["attachments"] as ReadonlyArray<string>,
    tokenBudget: row["token_budget"] as number | null,
    maxIterations: row["max_iterations"] as number | null
  }, { disableValidation: true })
