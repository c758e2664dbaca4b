import * as Sharding from "@effect/cluster/Sharding"
import type { SqlError } from "@effect/sql/SqlError"
import { DeliveryChannel } from "@troupe/domain/Outbox"
import { Duration, Effect, Layer, Option, type Scope } from "effect"
import { AttemptFailed, Superseded } from "../Queue/AttemptFailed.ts"
import { countsOf } from "../Queue/QueueBacklog.ts"
import { type ConsumerOptions, makeConsumer } from "../Queue/QueueConsumer.ts"
import type { PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import { counter, gauge } from "../Runtime/Telemetry/Metrics.ts"
import type { OutboxChannel, OutboxClaim } from "./OutboxChannel.ts"
import { makeOutboxRepo } from "./OutboxRepo.ts"

const defaultOptions: Omit<ConsumerOptions, "pollInterval"> = {
  maxActive: 8,
  // Messages to one recipient may have several orders: a slow one leaves room for others.
  maxOfLane: 4,
  lease: "20 seconds",
  timeout: "2 minutes",
  firstDelay: "15 seconds",
  growth: 3,
  // They take about a day.
  maxAttempts: 28,
  countInterval: "30 seconds",
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
    const { channel, deliver, mayRepeat = false } = yield* make
    const { keep, messageOf, queue } = yield* makeOutboxRepo
    const { origin } = yield* Signals
    const sharding = yield* Sharding.Sharding
    // Alone, the process is not notified of the rows that the statements of tasks write.
    const options = { ...defaultOptions, pollInterval: origin === null ? "1 second" : "5 seconds", ...given } as const

    const attempt = Effect.fnUntraced(function*(claim: OutboxClaim) {
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

/** The claim may have expired while this process was frozen. */
const checked = (change: Effect.Effect<boolean, SqlError>) =>
  change.pipe(
    Effect.mapError(() => AttemptFailed.later("The database was unavailable before the message could be sent.")),
    Effect.filterOrFail((isOurs) => isOurs, Superseded.byClaim),
    Effect.asVoid
  )

const channels = DeliveryChannel.literals

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
