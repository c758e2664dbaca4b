import type { SqlError } from "@effect/sql/SqlError"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { NotificationId } from "@troupe/domain/Notification"
import { DeliveryChannel, OutboxId } from "@troupe/domain/Outbox"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { deliveredContentOf, NotificationRow } from "./NotificationView.ts"
import type { OutboxMessage, OutboxNotification } from "./OutboxChannel.ts"
import * as statements from "./OutboxStatements.ts"

/** A message that this process delivers. `epoch` is its claim's. */
export interface OutboxClaim {
  readonly epoch: number
  readonly message: OutboxMessage
}

const Taken = Schema.Struct({
  id: OutboxId,
  epoch: Schema.Int,
  attempts: Schema.Int,
  channel: DeliveryChannel,
  recipient: Schema.String,
  kind: Schema.String,
  userId: Schema.NullOr(UserId),
  taskId: Schema.NullOr(TaskId),
  notificationId: Schema.NullOr(NotificationId),
  payload: Schema.NullOr(Schema.String),
  progress: Schema.NullOr(Schema.String)
})

const decodeTaken = Schema.decodeUnknown(Schema.Array(Taken))

const NotificationSource = Schema.Struct({ ...NotificationRow.fields, task_creator: Schema.NullOr(UserId) })

const uncertain = "The process ended while the message was being sent: it may have arrived. Retry it if it did not."

/** The rows of the outbox. Each change is that of one claim; a claim that another one replaced changes nothing. */
export class OutboxRepo extends Context.Tag("troupe/Delivery/OutboxRepo")<OutboxRepo, {
  /**
   * Goes over the recipients from `after` on. `next` is the `after` of the next call: empty at their end.
   */
  readonly take: (
    channel: DeliveryChannel,
    options: {
      readonly limit: number
      /** Limit for one recipient; messages in delivery count too. */
      readonly limitOfOne: number
      readonly after: string
      readonly lease: Duration.Duration
    }
  ) => Effect.Effect<{ readonly claims: ReadonlyArray<OutboxClaim>; readonly next: string }, SqlError>
  /** False: the claim is no longer valid, and the message must not leave. */
  readonly handOver: (
    claim: OutboxClaim,
    options: { readonly mayRepeat: boolean; readonly lease: Duration.Duration }
  ) => Effect.Effect<boolean, SqlError>
  /** False as for `handOver`. */
  readonly keep: (claim: OutboxClaim, progress: string | null) => Effect.Effect<boolean, SqlError>
  readonly sent: (claim: OutboxClaim, remark: string | null) => Effect.Effect<void, SqlError>
  readonly postpone: (claim: OutboxClaim, reason: string, delay: Duration.Duration) => Effect.Effect<void, SqlError>
  readonly fail: (claim: OutboxClaim, reason: string) => Effect.Effect<void, SqlError>
  readonly release: (claim: OutboxClaim) => Effect.Effect<void, SqlError>
  /** Keeps a message that is still being delivered. */
  readonly renew: (claim: OutboxClaim, lease: Duration.Duration) => Effect.Effect<void, SqlError>
  /** How many messages of ended processes will be sent again, are uncertain, or had their last attempt. */
  readonly recover: (
    channel: DeliveryChannel,
    options: {
      readonly maxAttempts: number
      readonly firstDelay: Duration.Duration
      readonly maxDelay: Duration.Duration
    }
  ) => Effect.Effect<{ readonly due: number; readonly uncertain: number; readonly exhausted: number }, SqlError>
}>() {
  static readonly layer: Layer.Layer<OutboxRepo, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) => {
      const change = (statement: Prepared, { epoch, message: { id } }: OutboxClaim, ...more: ReadonlyArray<unknown>) =>
        execute(statement, [id, epoch, ...more])

      const notificationsFor = (rows: ReadonlyArray<typeof Taken.Type>) => {
        const keys = rows.flatMap(({ notificationId: id, userId }) => id === null ? [] : [{ id, user_id: userId }])
        if (keys.length === 0) return Effect.succeed(new Map<NotificationId, OutboxNotification>())
        return execute(statements.readNotifications, [JSON.stringify(keys)]).pipe(
          Effect.flatMap((found) => Effect.orDie(Schema.decodeUnknown(Schema.Array(NotificationSource))(found))),
          Effect.map((found) =>
            new Map(found.map((row) => [
              row.id,
              { ...deliveredContentOf(row), filesOf: row.task_creator ?? row.user_id }
            ]))
          )
        )
      }

      const take: OutboxRepo["Type"]["take"] = Effect.fn("OutboxRepo.take")(
        function*(channel, { after, lease, limit, limitOfOne }) {
          const found = yield* execute(statements.claim, [channel, limit, Duration.toSeconds(lease), after, limitOfOne])
          const next = typeof found[0]?.["next"] === "string" ? found[0]["next"] : ""
          const rows = yield* Effect.orDie(decodeTaken(found.filter(({ id }) => id !== null)))
          const notifications = yield* notificationsFor(rows)
          const claims = yield* Effect.forEach(rows, (row) => {
            const notification = row.notificationId === null ? undefined : notifications.get(row.notificationId)
            return notification === undefined && row.payload === null
              ? Effect.as(execute(statements.drop, [row.id, row.epoch]), [])
              : Effect.succeed([claimOf(row, notification)])
          })
          return { claims: claims.flat(), next }
        }
      )

      return OutboxRepo.of({
        take,
        handOver: (claim, { lease, mayRepeat }) =>
          Effect.map(
            change(statements.handOver, claim, Duration.toSeconds(lease), !mayRepeat),
            ({ length }) => length > 0
          ),
        keep: (claim, progress) =>
          Effect.map(change(statements.saveProgress, claim, progress), ({ length }) => length > 0),
        sent: (claim, remark) => change(statements.markSent, claim, remark === null ? null : storable(remark)),
        postpone: (claim, reason, delay) =>
          change(statements.postpone, claim, storable(reason), Duration.toSeconds(delay)),
        fail: (claim, reason) => change(statements.fail, claim, storable(reason)),
        release: (claim) => change(statements.release, claim),
        renew: (claim, lease) => Effect.asVoid(change(statements.renew, claim, Duration.toSeconds(lease))),
        recover: (channel, { firstDelay, maxAttempts, maxDelay }) =>
          Effect.map(
            execute(statements.recover, [
              channel,
              uncertain,
              maxAttempts,
              Duration.toSeconds(firstDelay),
              Duration.toSeconds(maxDelay)
            ]),
            (rows) => {
              const due = rows.filter(({ state }) => state === "pending").length
              const unknown = rows.filter(({ handed_over }) => handed_over === true).length
              return { due, uncertain: unknown, exhausted: rows.length - due - unknown }
            }
          )
      })
    })
  )
}

const claimOf = (
  { epoch, payload, ...message }: typeof Taken.Type,
  notification: OutboxNotification | undefined
): OutboxClaim => ({
  epoch,
  message: {
    ...message,
    isRepeated: epoch > 1,
    content: notification === undefined
      ? { _tag: "Payload", payload: payload ?? "" }
      : { _tag: "Notification", notification }
  }
})
