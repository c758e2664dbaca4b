import type { TaskId } from "@troupe/domain/Ids"
import { Array, Duration, Effect, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { InboundId, InboundMessage, type InboundSource } from "./InboundMessage.ts"
import * as Statements from "./InboundStatements.ts"

const InboundClaim = Schema.Struct({
  id: InboundId,
  type: Schema.String,
  /** Fences the attempt: a later one has a higher number. */
  attempt: Schema.Int,
  /** How often an outage has postponed it. */
  postponed: Schema.Int,
  ageSeconds: Schema.Number
})
export type InboundClaim = typeof InboundClaim.Type

/** The first type and the first ordering key that a claim considers. Null: none, as all were considered before. */
export interface ClaimPosition {
  readonly type: string | null
  readonly key: string | null
}

export interface ClaimOptions {
  readonly source: InboundSource
  readonly limit: number
  readonly lease: Duration.Duration
  readonly maxAttempts: number
  readonly from: ClaimPosition
  readonly exceptTypes: ReadonlyArray<string>
}

/** Rows of the queue as the consumers change them. Every change but the claim is fenced by the attempt. */
export const makeInboundRepo = Effect.map(PreparedStatements, ({ execute }) => {
  const changed = (statement: Prepared, { attempt, id }: InboundClaim, ...values: ReadonlyArray<unknown>) =>
    Effect.map(execute(statement, [id, attempt, ...values]), (rows) => rows.length > 0)
  return {
    /**
     * Claims due messages: a share of each type, oldest first, and only the oldest unfinished one of an ordering key.
     * Messages without attempts left are failed. `next` is the position of the next claim.
     */
    claim: Effect.fnUntraced(function*({ exceptTypes, from, lease, limit, maxAttempts, source }: ClaimOptions) {
      const seconds = Duration.toSeconds(lease)
      const values = [source, limit, seconds, maxAttempts, from.type, from.key, exceptTypes]
      const rows = yield* execute(Statements.claim, values)
      // Each row has the next position; one without a claim has only that.
      const claims = yield* Effect.orDie(decodeClaims(rows.filter(({ id }) => id !== null)))
      const { nextKey, nextType } = yield* Effect.orDie(decodePosition(rows[0]))
      return { claims, next: { type: nextType, key: nextKey } }
    }),
    read: ({ attempt, id }: InboundClaim) =>
      Effect.map(messagesOf(execute(Statements.read, [id, attempt])), Array.head),
    renew: (claim: InboundClaim, lease: Duration.Duration) =>
      changed(Statements.renew, claim, Duration.toSeconds(lease)),
    finish: (claim: InboundClaim, result: { readonly taskId: TaskId | null; readonly keepsContent: boolean }) =>
      changed(Statements.finish, claim, result.taskId, result.keepsContent),
    fail: (claim: InboundClaim, error: string) => changed(Statements.fail, claim, storable(error)),
    retry: (claim: InboundClaim, error: string, pause: Duration.Duration) =>
      changed(Statements.retry, claim, Duration.toSeconds(pause), storable(error), 0, 0),
    /** As `retry`, without counting the attempt. */
    postpone: (claim: InboundClaim, error: string, pause: Duration.Duration) =>
      changed(Statements.retry, claim, Duration.toSeconds(pause), storable(error), 1, 1),
    /** Gives a message back as if it had not been claimed. */
    release: (claim: InboundClaim, pause: Duration.Duration) =>
      changed(Statements.retry, claim, Duration.toSeconds(pause), null, 1, 0),
    backlog: (source: InboundSource) =>
      Effect.flatMap(execute(Statements.backlog, [source]), ([row]) => Effect.orDie(decodeBacklog(row)))
  }
})
export type InboundRepo = Effect.Effect.Success<typeof makeInboundRepo>

const decodeClaims = Schema.decodeUnknown(Schema.Array(InboundClaim))
const decodePosition = Schema.decodeUnknown(
  Schema.Struct({ nextType: Schema.NullOr(Schema.String), nextKey: Schema.NullOr(Schema.String) })
)
const messagesOf = rowsOf(InboundMessage)
const decodeBacklog = Schema.decodeUnknown(Schema.Struct({ unfinished: Schema.Int, oldestSeconds: Schema.Number }))
