import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Layer, Struct } from "effect"
import { PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { shardMarks, Shards } from "../Row/Shards.ts"
import { claimed } from "../Row/TaskMetrics.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { type ClaimRow, clock, release, stale, take } from "./ClaimStatements.ts"

export interface Claim extends ClaimRow {
  /** Of the statement that made the claim, in nanoseconds of this process's clock. */
  readonly time: { readonly from: bigint; readonly to: bigint }
}

/** The task was never claimed before. */
export const isFirst = ({ seq }: Claim): boolean => seq === 1

export interface ClaimResult {
  readonly claims: ReadonlyArray<Claim>
  readonly hasMore: boolean
}

/**
 * Claims due tasks of shards whose lock this runner holds in the database, oldest first within a user and round-robin
 * between users. A claim raises the epoch and appends the `woken` step. Tasks beyond the slots are queued here.
 */
export class Claims extends Context.Tag("troupe/Task/Claim/Claims")<Claims, {
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
    readonly since?: number | undefined
    readonly suspect?: { readonly isAlone: boolean } | null
  }) => Effect.Effect<ClaimResult, SqlError>
  /** Hands tasks back without counting an attempt. */
  readonly release: (claims: ReadonlyArray<{ readonly taskId: TaskId; readonly epoch: number }>) => Effect.Effect<void>
  /** Those of the tasks that another claim or a command has taken: their epoch was raised, or they were deleted. */
  readonly stale: (
    held: ReadonlyArray<{ readonly taskId: TaskId; readonly epoch: number }>
  ) => Effect.Effect<ReadonlyArray<TaskId>, SqlError>
}>() {
  static readonly layer: Layer.Layer<Claims, never, PreparedStatements | Shards | ShardingConfig | TaskSignals> = Layer
    .effect(
      this,
      Effect.gen(function*() {
        const { shardLockExpiration } = yield* ShardingConfig
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
        return Claims.of({
          take: ({ active, after, free, perUser, since = null, suspect = null }) =>
            Effect.flatMap(startedAt, (started) => {
              const from = time.unsafeCurrentTimeNanos()
              const rows = database.execute(take, [
                shards.address,
                Duration.toSeconds(shardLockExpiration),
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
              return Effect.map(rows, (rows) => fromRows(rows, { from, to: time.unsafeCurrentTimeNanos() }))
            }),
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

type TakenRow = ClaimRow & { readonly has_more: boolean; readonly waited: number }

/** The row comes from our own statement, whose columns the table's constraints guard. Without a claim, they are null. */
const isTaken = (row: Row): row is TakenRow => row["taskId"] !== null

const fromRows = (rows: ReadonlyArray<Row>, time: Claim["time"]): ClaimResult => ({
  claims: rows.filter(isTaken).map((row) => {
    const claim = { ...Struct.omit(row, "has_more", "waited"), time }
    claimed(isFirst(claim) ? "first" : claim.attempts > 1 || claim.deaths > 0 ? "recovery" : "resume", row.waited)
    return claim
  }),
  hasMore: rows[0]?.["has_more"] === true
})
