import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Schema } from "effect"
import { PreparedStatements, type Query } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { storable, storableOrNull } from "../Runtime/Database/StorableText.ts"
import { countsOf, QueueCounts } from "./QueueBacklog.ts"
import { purgeBatch, statementsOf } from "./QueueStatements.ts"
import { type QueueTable } from "./QueueTable.ts"

/** What every claim has, besides the columns of its table. */
const QueueClaim = Schema.Struct({
  id: Schema.String,
  /** Fences the attempt: a later claim has a higher number. */
  epoch: Schema.Int,
  /** This one included. */
  attempts: Schema.Int,
  ageSeconds: Schema.Number
})
export type QueueClaim = typeof QueueClaim.Type

/** The lane and the group after which a claim begins; empty: the first ones. */
export interface ClaimPosition {
  readonly lane: string
  readonly group: string
}

export const firstPosition: ClaimPosition = { lane: "", group: "" }
export const isFirst = ({ group, lane }: ClaimPosition): boolean => lane === "" && group === ""

export interface ClaimOptions {
  readonly limit: number
  /** Of one lane, those that are claimed already included. */
  readonly limitOfLane: number
  readonly lease: Duration.DurationInput
  readonly maxAttempts: number
  readonly firstDelay: Duration.DurationInput
  readonly from: ClaimPosition
  readonly exceptGroups?: ReadonlyArray<string>
}

const Changed = Schema.Struct({
  isClaimed: Schema.NullOr(Schema.Boolean),
  isUncertain: Schema.NullOr(Schema.Boolean),
  state: Schema.NullOr(Schema.String),
  nextLane: Schema.NullOr(Schema.String),
  nextGroup: Schema.NullOr(Schema.String)
})

const countRows = rowsOf(QueueCounts)

/** The rows of a table that is a queue, as consumers change them. A change is false where another claim has the row. */
export const makeQueue = <A, I>(table: QueueTable, columns: Schema.Schema<A, I>) =>
  Effect.map(PreparedStatements, ({ execute }) => {
    const statements = statementsOf(table)
    const decodeClaims = Schema.decodeUnknown(Schema.Array(Schema.extend(QueueClaim, columns)))
    const decodeChanged = Schema.decodeUnknown(Schema.Array(Changed))

    const change = (query: Query) => Effect.map(execute(query), ({ length }) => length > 0)
    const of = ({ epoch, id }: QueueClaim) => ({ id, epoch })

    return {
      table: table.name,
      /** Claims due rows; `next` is where the next claim begins. `ended` counts those whose process had ended. */
      claim: Effect.fnUntraced(function*(queue: string, options: ClaimOptions) {
        const { exceptGroups = [], firstDelay, from, lease, limit, limitOfLane, maxAttempts } = options
        const rows = yield* execute(statements.claim({
          queue,
          limit,
          limitOfLane,
          maxAttempts,
          lease: Duration.toSeconds(lease),
          firstDelay: Duration.toSeconds(firstDelay),
          afterLane: from.lane,
          afterGroup: from.group,
          exceptGroups
        }))
        const changed = yield* Effect.orDie(decodeChanged(rows))
        const claims = yield* Effect.orDie(decodeClaims(rows.filter(({ isClaimed }) => isClaimed === true)))
        const failed = changed.filter(({ state }) => state === "failed")
        const uncertain = failed.filter(({ isUncertain }) => isUncertain === true).length
        const next: ClaimPosition = { lane: changed[0]?.nextLane ?? "", group: changed[0]?.nextGroup ?? "" }
        const deferred = changed.filter(({ state }) => state === "pending").length
        return { claims, next, ended: { deferred, exhausted: failed.length - uncertain, uncertain } }
      }),
      renew: (claim: QueueClaim, lease: Duration.DurationInput) =>
        change(statements.renew({ ...of(claim), lease: Duration.toSeconds(lease) })),
      /** Committed before the row has its effect outside; `isFinal`: which can't be repeated. */
      handOver: (claim: QueueClaim, lease: Duration.DurationInput, isFinal: boolean) =>
        change(statements.handOver({ ...of(claim), lease: Duration.toSeconds(lease), isFinal })),
      finish: (claim: QueueClaim, remark: string | null, more: Readonly<Record<string, unknown>> = {}) =>
        change(statements.finish({ ...more, ...of(claim), remark: storableOrNull(remark) })),
      fail: (claim: QueueClaim, error: string) => change(statements.fail({ ...of(claim), error: storable(error) })),
      retry: (claim: QueueClaim, error: string, pause: Duration.DurationInput) =>
        change(
          statements.retry({ ...of(claim), pause: Duration.toSeconds(pause), error: storable(error), uncounted: 0 })
        ),
      /** Makes it due again without counting the attempt. */
      release: (claim: QueueClaim, error: string | null, pause: Duration.DurationInput) =>
        change(
          statements.retry({
            ...of(claim),
            pause: Duration.toSeconds(pause),
            error: storableOrNull(error),
            uncounted: 1
          })
        ),
      counts: (queue: string) =>
        Effect.map(countRows(execute(statements.countsOfQueue({ queue }))), (counts) => countsOf(queue, counts)),
      drop: (claim: QueueClaim) => Effect.asVoid(change(statements.drop(of(claim)))),
      /** Deletes the rows that are done, or have failed, for so many days. */
      purge: (days: { readonly done: number; readonly failed: number }): Effect.Effect<void, SqlError> =>
        Effect.forEach(
          [[statements.purgeDone, days.done], [statements.purgeFailed, days.failed]] as const,
          ([statement, age]) =>
            Effect.repeat(execute(statement({ days: age })), { while: ({ length }) => length === purgeBatch }),
          { discard: true }
        )
    }
  })

export type Queue<C extends QueueClaim> = Omit<Effect.Effect.Success<ReturnType<typeof makeQueue>>, "claim"> & {
  readonly claim: (queue: string, options: ClaimOptions) => Effect.Effect<{
    readonly claims: ReadonlyArray<C>
    readonly next: ClaimPosition
    readonly ended: { readonly deferred: number; readonly exhausted: number; readonly uncertain: number }
  }, SqlError>
}
