import * as Sharding from "@effect/cluster/Sharding"
import type { SqlError } from "@effect/sql/SqlError"
import { deliveryChannels } from "@troupe/domain/DeliveryWay"
import { Duration, Effect, Layer, Option, Schema, type Scope } from "effect"
import { AttemptFailed, Superseded } from "../Queue/AttemptFailed.ts"
import { makeQueue } from "../Queue/Queue.ts"
import { countsOf } from "../Queue/QueueBacklog.ts"
import { type ConsumerOptions, makeConsumer } from "../Queue/QueueConsumer.ts"
import * as GroupCommit from "../Runtime/Database/GroupCommit.ts"
import { prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import type { Signals } from "../Runtime/Database/Signals.ts"
import { isRefusal } from "../Runtime/Database/Sql.ts"
import { counter, gauge } from "../Runtime/Telemetry/Metrics.ts"
import { deliveredContentOf, notificationColumns, NotificationRow, notificationTables } from "./NotificationView.ts"
import { expanded, OutboxRow, outboxTable } from "./Outbox.ts"
import type { ClaimedMessage, OutboxChannel, OutboxClaim } from "./OutboxChannel.ts"

const defaultOptions: ConsumerOptions = {
  maxActive: 8,
  // Messages to one recipient may have several orders: a slow one leaves room for others.
  maxOfLane: 4,
  lease: "20 seconds",
  timeout: "2 minutes",
  // A signal announces each message; the poll finds messages whose process ended first.
  pollInterval: "30 seconds",
  firstDelay: "15 seconds",
  growth: 3,
  // All attempts together take about a day.
  maxAttempts: 28,
  countInterval: "1 minute",
  grace: "7 seconds"
}

/**
 * Delivers the messages of one channel, in one process of the cluster: several recipients at once, in order for each, or
 * for each task of a recipient where the channel is webhook (`outbox.ordered_by`).
 * After the last attempt a message is a dead letter.
 */
export const layer = <R>(
  make: Effect.Effect<OutboxChannel, never, R>,
  given: Partial<ConsumerOptions> = {}
): Layer.Layer<never, never, Exclude<R, Scope.Scope> | PreparedStatements | Signals | Sharding.Sharding> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const { channel, deliver, isForAll = () => false, mayRepeat = false } = yield* make
    const { expand, keep, messageOf, queue } = yield* makeOutboxQueue
    // The events that were claimed together are replaced together.
    const expansions = yield* GroupCommit.make({ write: expand, maxGroup: 100, writers: 1, isRefusal })
    const sharding = yield* Sharding.Sharding
    const options = { ...defaultOptions, ...given }

    const attempt = Effect.fnUntraced(function*(claim: OutboxClaim) {
      if (isForAll(claim)) {
        return yield* Effect.zipRight(expansions.commit(claim), new Superseded({ message: "it became others" }))
      }
      const message = yield* messageOf(claim)
      if (Option.isNone(message)) {
        return yield* Effect.zipRight(queue.drop(claim), new Superseded({ message: "its notification was deleted" }))
      }
      const remark = yield* deliver(
        message.value,
        checked(queue.handOver(claim, options.lease, !mayRepeat)),
        (progress) => checked(keep(claim, progress))
      )
      return queue.finish(claim, remark)
    })

    let counts = countsOf(channel, [])
    yield* outboxWaiting(() => counts.unfinished, { channel })
    yield* outboxOldestSeconds(() => counts.oldestSeconds, { channel })
    yield* outboxDeadLetters(() => counts.failed, { channel })
    const run = yield* makeConsumer(queue, {
      queue: channel,
      signal: "troupe_outbox",
      attempt,
      timedOut: AttemptFailed.as(
        mayRepeat ? "later" : "uncertain",
        `Sending took longer than ${Duration.format(options.timeout)}: it may have arrived.`
      ),
      hint: ({ id }) => `POST /api/outbox/${id}/retry sends it again:`,
      failures: "GET /api/outbox?state=failed",
      onResult: (result) => outboxAttempts(1, { channel, result: result === "done" ? "sent" : result }),
      onCounts: (found) => void (counts = found)
    }, options)
    yield* sharding.registerSingleton(`troupe/outbox/${channel}`, run)
  }))

/** The outbox as a queue, with the content of its messages. */
export const makeOutboxQueue = Effect.gen(function*() {
  const { execute } = yield* PreparedStatements
  const queue = yield* makeQueue(outboxTable, OutboxRow)

  const notificationOf = ({ notification_id, user_id }: OutboxClaim) =>
    execute(readNotification({ user: user_id, notification: notification_id })).pipe(
      Effect.flatMap((rows) => Effect.orDie(decodeNotifications(rows))),
      Effect.map(([row]) =>
        row === undefined ? null : { ...deliveredContentOf(row), filesOf: row.task_creator ?? row.user_id }
      )
    )

  return {
    queue,
    /** None: the notification was removed. */
    messageOf: Effect.fnUntraced(
      function*(claim: OutboxClaim): Effect.fn.Return<Option.Option<ClaimedMessage>, SqlError> {
        const { payload } = claim
        if (payload !== null) return Option.some({ ...claim, content: { _tag: "Payload", payload } })
        const notification = yield* notificationOf(claim)
        return notification === null
          ? Option.none()
          : Option.some({ ...claim, content: { _tag: "Notification", notification } })
      }
    ),
    expand: (claims: ReadonlyArray<OutboxClaim>) =>
      Effect.as(
        execute(expanded({ ids: claims.map(({ id }) => id), epochs: claims.map(({ epoch }) => epoch) })),
        claims
      ),
    /** False: another claim has the message. */
    keep: ({ epoch, id }: OutboxClaim, progress: string | null) =>
      Effect.map(execute(saveProgress({ id, epoch, progress })), ({ length }) => length > 0)
  }
})

/** The claim may have expired while this process was frozen. */
const checked = (change: Effect.Effect<boolean, SqlError>) =>
  change.pipe(
    Effect.mapError(() => AttemptFailed.later("The database was unavailable before the message could be sent.")),
    Effect.filterOrFail((isOurs) => isOurs, Superseded.byClaim),
    Effect.asVoid
  )

const channels = deliveryChannels

const outboxAttempts = counter(
  "troupe_outbox_attempts",
  "Attempts to deliver a message, by their result.",
  { channel: channels, result: ["sent", "retried", "failed"] }
)

const outboxWaiting = gauge(
  "troupe_outbox_waiting",
  "Messages that are not sent yet, as the process that delivers them last counted them.",
  { channel: channels }
)

const outboxOldestSeconds = gauge(
  "troupe_outbox_oldest_seconds",
  "Age of the oldest message that is not sent yet, as the process that delivers them last counted them.",
  { channel: channels }
)

const outboxDeadLetters = gauge(
  "troupe_outbox_dead_letters",
  "Messages that are not retried any more (dead letters), as the process that delivers them last counted them.",
  { channel: channels }
)

const decodeNotifications = Schema.decodeUnknown(Schema.Array(NotificationRow))

const readNotification = prepared(
  "outbox_notification",
  ["user", "notification"],
  `with n as (select * from notifications where user_id = $user::text and id = $notification::uuid)
select ${notificationColumns} from ${notificationTables}`
)

const saveProgress = prepared(
  "outbox_keep",
  ["id", "epoch", "progress"],
  `update outbox set progress = $progress::text
where id = $id::uuid and epoch = $epoch::integer and state = 'sending' returning 1`
)
