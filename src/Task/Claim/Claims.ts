import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Duration, Effect, Layer } from "effect"
import { PreparedStatements, type Row } from "../../Runtime/Database/PreparedStatements.ts"
import { shardMarks, Shards } from "../Row/Shards.ts"
import { claimed } from "../Row/TaskMetrics.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { findCandidates } from "./CandidateStatement.ts"
import { type Candidate, choose, countOfEach, type Wanted } from "./Choice.ts"
import { type ClaimRow, clock, release, stale, take } from "./ClaimStatements.ts"

export interface Claim extends ClaimRow {
  /** Of the statement that made the claim, in nanoseconds of this process's clock. */
  readonly time: { readonly from: bigint; readonly to: bigint }
}

/** The task was never claimed before. */
export const isFirst = ({ seq }: Claim): boolean => seq === 1

export interface ClaimResult {
  readonly claims: ReadonlyArray<Claim>
  /** More is due than the scan has read. */
  readonly hasMore: boolean
  /** More is queued to other runners than it has read. */
  readonly hasOrphans: boolean
  /** The user after whom the next scan begins. */
  readonly after: string
}

/** How a scan looks for tasks while more are due than it reads. */
export interface Turns {
  /** How many users it may visit; 0: it reads what is due by its time. */
  readonly visits: number
  /** Among how many of those that came due last it looks for tasks of new users. */
  readonly newest: number
}

export interface RoomForSuspects {
  readonly most: number
  /** No suspect runs: one may be taken that runs without others. */
  readonly isFirst: boolean
  /** No running task counts a death. */
  readonly isAlone: boolean
}

/**
 * Claims due tasks of shards whose lock this runner holds in the database, oldest first within a user and round-robin
 * between users. A claim raises the epoch and appends the `woken` step. Tasks beyond the slots are queued here.
 */
export class Claims extends Context.Tag("troupe/Task/Claim/Claims")<Claims, {
  /**
   * What is asked for, starting after the user `after`. `since` leaves out what is due for longer. `suspects`: which
   * may be suspects (ProcessDeaths), by default none. `allQueues`: a runner that lives may have
   * queued a task of a shard that is this runner's now.
   */
  readonly take: (
    wanted: Wanted & Partial<Turns> & {
      readonly after: string
      readonly since?: number | undefined
      readonly allQueues?: boolean
      readonly suspects?: RoomForSuspects | null
    }
  ) => Effect.Effect<ClaimResult, SqlError>
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
            ? Effect.map(database.execute(clock({})), ([row]) => (start = row?.["now"] as string))
            : Effect.succeed(start)
        )
        return Claims.of({
          take: ({ after, allQueues = true, newest = 0, since = null, suspects = null, visits = 0, ...wanted }) =>
            Effect.flatMap(startedAt, (started) => {
              const ours = { runner: shards.address, lockExpiration: Duration.toSeconds(shardLockExpiration), started }
              const { active, asked, perUser } = wanted
              const limit = Math.max(asked, scanLimit)
              const found = database.execute(findCandidates({
                ...ours,
                shards: shardMarks(shards.owned()),
                active: [...active.keys()],
                users: [...active.values()],
                perUser,
                asked,
                limit,
                after,
                since,
                suspects: suspects?.most ?? 0,
                isFirstSuspect: suspects?.isFirst === true,
                visits,
                newest,
                allQueues
              }))
              return Effect.flatMap(found, (rows) => {
                const candidates = rows.filter(isCandidate)
                const { chosen, queued } = choose(candidates, wanted)
                const counts = countOfEach(candidates.map(({ source }) => source))
                const isCut = (source: Candidate["source"]) => (counts.get(source) ?? 0) >= limit
                const visited = rows.find((row) => row["source"] === "visited")?.["creator"] as string | undefined
                const last = chosen.findLast(({ source }) => source !== "new")?.creator
                const result = {
                  hasMore: isCut("due"),
                  hasOrphans: isCut("orphaned"),
                  after: (chosen.length < asked ? visited : undefined) ?? last ?? after
                }
                if (chosen.length === 0 && queued.length === 0) return Effect.succeed({ claims: [], ...result })
                const from = time.unsafeCurrentTimeNanos()
                const taken = database.execute(take({
                  ...ours,
                  tasks: chosen.map(({ taskId }) => taskId),
                  epochs: chosen.map(({ epoch }) => epoch),
                  queued: queued.map(({ taskId }) => taskId),
                  isAlone: suspects?.isAlone === true && !chosen.some(({ isHeld }) => isHeld)
                    && chosen.filter(({ source }) => source === "suspect").length === 1
                }))
                return Effect.map(taken, (rows) => ({
                  claims: claimsOf(chosen, rows, { from, to: time.unsafeCurrentTimeNanos() }),
                  ...result
                }))
              })
            }),
          release: (claims) =>
            claims.length === 0 ? Effect.void : database.execute(release({
              tasks: claims.map((claim) => claim.taskId),
              epochs: claims.map((claim) => claim.epoch),
              origin
            })).pipe(Effect.ignore),
          stale: (held) =>
            held.length === 0 ? Effect.succeed([]) : database.execute(stale({
              tasks: held.map((claim) => claim.taskId),
              epochs: held.map((claim) => claim.epoch)
            })).pipe(Effect.map((rows) => rows.map((row) => row["task_id"] as TaskId)))
        })
      })
    )
}

/** Maximum rows that one scan reads of each source besides the queued ones; those beyond the free slots are queued. */
const scanLimit = 500

// The rows come from our own statements, and the table's constraints guard their columns, so that nothing decodes them.
const isCandidate = (row: Row): row is Row & Candidate => row["taskId"] !== null

type TakenRow = ClaimRow & { readonly waited: number }
const isTaken = (row: Row): row is TakenRow => row["taskId"] !== null

/** The claims in the order in which they were chosen. One that has changed meanwhile was not taken. */
const claimsOf = (
  chosen: ReadonlyArray<Candidate>,
  rows: ReadonlyArray<Row>,
  time: Claim["time"]
): ReadonlyArray<Claim> => {
  const taken = new Map(rows.filter(isTaken).map((row) => [row.taskId, row]))
  return chosen.flatMap(({ taskId }) => {
    const row = taken.get(taskId)
    if (row === undefined) return []
    const claim: Claim = { time, ...row }
    claimed(isFirst(claim) ? "first" : claim.attempts > 1 || claim.deaths > 0 ? "recovery" : "resume", row.waited)
    return claim
  })
}
