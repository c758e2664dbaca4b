import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { Array, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { storable } from "../Runtime/StorableText.ts"
import { InboundId, type InboundMessage, InboundSource } from "./InboundMessage.ts"
import * as Statements from "./InboundStatements.ts"

export interface InboundClaim {
  readonly id: InboundId
  readonly type: string
  /** Fences the attempt: a later one has a higher number. */
  readonly attempt: number
  /** How often an outage has postponed it. */
  readonly postponed: number
  readonly age: Duration.Duration
}

/** The first type and the first ordering key that a claim considers. Null: none, as all were considered before. */
export interface ClaimPosition {
  readonly type: string | null
  readonly key: string | null
}

interface ClaimOptions {
  readonly source: InboundSource
  readonly limit: number
  readonly lease: Duration.Duration
  readonly maxAttempts: number
  readonly from: ClaimPosition
  readonly exceptTypes: ReadonlyArray<string>
}

/** Rows of the queue as the consumers change them. Every change but the claim is fenced by the attempt. */
export class InboundRepo extends Context.Tag("troupe/Intake/InboundRepo")<InboundRepo, {
  /**
   * Claims due messages: a share of each type, oldest first, and only the oldest unfinished one of an ordering key.
   * Messages without attempts left are failed. `next` is the position of the next claim.
   */
  readonly claim: (
    options: ClaimOptions
  ) => Effect.Effect<{ readonly claims: ReadonlyArray<InboundClaim>; readonly next: ClaimPosition }, SqlError>
  readonly read: (claim: InboundClaim) => Effect.Effect<Option.Option<InboundMessage>, SqlError>
  readonly renew: (claim: InboundClaim, lease: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly finish: (
    claim: InboundClaim,
    result: { readonly taskId: TaskId | null; readonly keepsContent: boolean }
  ) => Effect.Effect<boolean, SqlError>
  readonly retry: (claim: InboundClaim, error: string, pause: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly fail: (claim: InboundClaim, error: string) => Effect.Effect<boolean, SqlError>
  /** Gives a message back as if it had not been claimed. */
  readonly release: (claim: InboundClaim, pause: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly postpone: (claim: InboundClaim, error: string, pause: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly backlog: (
    source: InboundSource
  ) => Effect.Effect<{ readonly unfinished: number; readonly oldestSeconds: number }, SqlError>
}>() {
  static readonly layer: Layer.Layer<InboundRepo, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) => {
      const changed = (statement: Prepared, { attempt, id }: InboundClaim, ...values: ReadonlyArray<unknown>) =>
        Effect.map(execute(statement, [id, attempt, ...values]), (rows) => rows.length > 0)
      return InboundRepo.of({
        claim: ({ exceptTypes, from, lease, limit, maxAttempts, source }) =>
          execute(Statements.claim, [
            source,
            limit,
            Duration.toSeconds(lease),
            maxAttempts,
            from.type,
            from.key,
            exceptTypes
          ]).pipe(
            Effect.flatMap((rows) => Effect.orDie(decodeClaims(rows))),
            Effect.map((rows) => ({
              claims: Array.filterMap(rows, ({ age, attempt, id, postponed, type }) =>
                Option.all({
                  age: Option.map(Option.fromNullable(age), Duration.seconds),
                  postponed: Option.fromNullable(postponed),
                  attempt: Option.fromNullable(attempt),
                  id: Option.fromNullable(id),
                  type: Option.fromNullable(type)
                })),
              next: { type: rows[0]?.nextType ?? null, key: rows[0]?.nextKey ?? null }
            }))
          ),
        read: ({ attempt, id }) =>
          execute(Statements.read, [id, attempt]).pipe(
            Effect.flatMap((rows) => Effect.orDie(decodeMessages(rows))),
            Effect.map(Array.head)
          ),
        renew: (message, lease) => changed(Statements.renew, message, Duration.toSeconds(lease)),
        finish: (message, { keepsContent, taskId }) => changed(Statements.finish, message, taskId, keepsContent),
        retry: (message, error, pause) =>
          changed(Statements.retry, message, storable(error), Duration.toSeconds(pause)),
        fail: (message, error) => changed(Statements.fail, message, storable(error)),
        release: (message, pause) => changed(Statements.release, message, Duration.toSeconds(pause)),
        postpone: (message, error, pause) =>
          changed(Statements.postpone, message, storable(error), Duration.toSeconds(pause)),
        backlog: (source) =>
          Effect.flatMap(execute(Statements.backlog, [source]), (rows) => Effect.orDie(decodeBacklog(rows[0])))
      })
    })
  )
}

const decodeClaims = Schema.decodeUnknown(Schema.Array(Schema.Struct({
  id: Schema.NullOr(InboundId),
  type: Schema.NullOr(Schema.String),
  attempt: Schema.NullOr(Schema.Int),
  postponed: Schema.NullOr(Schema.Int),
  age: Schema.NullOr(Schema.Number),
  nextType: Schema.NullOr(Schema.String),
  nextKey: Schema.NullOr(Schema.String)
})))

const decodeMessages = Schema.decodeUnknown(Schema.Array(Schema.Struct({
  id: InboundId,
  source: InboundSource,
  type: Schema.String,
  deliveryId: Schema.NullOr(Schema.String),
  orderingKey: Schema.NullOr(Schema.String),
  body: Schema.Uint8ArrayFromSelf,
  headers: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })),
  contentType: Schema.NullOr(Schema.String),
  url: Schema.String,
  sourceIp: Schema.NullOr(Schema.String),
  sender: Schema.NullOr(Schema.String),
  isVerified: Schema.Boolean,
  attempt: Schema.Int,
  receivedAt: Schema.String
})))

const decodeBacklog = Schema.decodeUnknown(
  Schema.Struct({ unfinished: Schema.Int, oldestSeconds: Schema.Number })
)
