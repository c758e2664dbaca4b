import * as Sharding from "@effect/cluster/Sharding"
import type { SqlError } from "@effect/sql/SqlError"
import { DeliveryChannel } from "@troupe/domain/Outbox"
import { Cause, Duration, Effect, Exit, FiberSet, Layer, Option, Queue, Random, Schedule, Stream } from "effect"
import { QueueSignals } from "../Runtime/Database/QueueSignals.ts"
import { counter, gauge } from "../Runtime/Telemetry/Metrics.ts"
import { DeliveryFailed, type OutboxChannel } from "./OutboxChannel.ts"
import { type OutboxCounts, OutboxOperations } from "./OutboxOperations.ts"
import { type OutboxClaim, OutboxRepo } from "./OutboxRepo.ts"

export interface OutboxStreamOptions {
  /** Before the second attempt; each further delay is three times as long, up to an hour. */
  readonly firstDelay?: Duration.DurationInput
  /** 28 attempts take about a day. */
  readonly maxAttempts?: number
  readonly pollInterval?: Duration.DurationInput
  /** Messages at a time. */
  readonly concurrency?: number
  /** The same to one recipient, where its messages have several orders: a slow one leaves room for others. */
  readonly concurrencyOfOne?: number
  /** How long after its process's end a message is recovered. A live process renews its leases. */
  readonly lease?: Duration.DurationInput
  /** How long a shutdown waits for attempts that have begun. */
  readonly grace?: Duration.DurationInput
}

const maxDelay = Duration.hours(1)
/** The delay that a recipient asks for counts, if it is not shorter, after so many attempts; then delays have the maximum. */
const minAsked = Duration.seconds(1)
const maxAsked = 10
const recoveryInterval = Duration.seconds(5)
const countInterval = Duration.seconds(30)
const attemptTimeout = Duration.minutes(2)

/**
 * Delivers the messages of one channel, in one process of the cluster: several recipients at once, in order for each, or
 * for each task of a recipient where the channel is webhook (`outbox.ordered_by`).
 * After the last attempt a message is a dead letter.
 */
export const layer = <R>(
  make: Effect.Effect<OutboxChannel, never, R>,
  options: OutboxStreamOptions = {}
): Layer.Layer<never, never, R | OutboxOperations | OutboxRepo | QueueSignals | Sharding.Sharding> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const { channel, deliver, mayRepeat = false } = yield* make
    const repo = yield* OutboxRepo
    const operations = yield* OutboxOperations
    const signals = yield* QueueSignals
    const sharding = yield* Sharding.Sharding
    const { concurrency = 8, concurrencyOfOne = 4, grace = "7 seconds", maxAttempts = 28 } = options
    // Alone, the process is not notified of the rows that the statements of tasks write.
    const pollInterval = options.pollInterval ?? (signals.origin === null ? "1 second" : "5 seconds")
    const lease = Duration.decode(options.lease ?? "20 seconds")
    const firstDelay = Duration.decode(options.firstDelay ?? "15 seconds")
    // Not in the scope of the singleton: an attempt ends in its process also when the stream moves to another one.
    const attempts = yield* FiberSet.make()
    const hints = yield* Queue.sliding<void>(1)
    yield* Queue.offer(hints, undefined)
    const timers = yield* FiberSet.make()
    let after = ""

    const delayAfter = (count: number, retryAfter: Option.Option<Duration.Duration>) =>
      Effect.map(Random.nextRange(1, 1.2), (jitter) => {
        const own = Duration.min(Duration.times(firstDelay, 3 ** Math.min(count - 1, 20)), maxDelay)
        const delay = Option.match(Option.filter(retryAfter, () => count <= maxAsked), {
          onNone: () => Duration.times(own, jitter),
          // Receivers of webhooks may ask for anything; what follows in the order waits too.
          onSome: (asked) => {
            const least = Duration.min(own, minAsked)
            return Duration.min(Duration.sum(Duration.max(asked, least), Duration.times(least, jitter - 1)), maxDelay)
          }
        })
        return Duration.millis(Math.round(Duration.toMillis(delay)))
      })

    const failed = (claim: OutboxClaim, { kind, reason, retryAfter }: DeliveryFailed) =>
      Effect.gen(function*() {
        const { attempts: count, id } = claim.message
        const isLast = count >= maxAttempts
        if (kind !== "later" || isLast) {
          yield* Effect.logWarning(
            `Message ${id} (${channel}) was not delivered${isLast ? ` in ${count} attempts` : ""}; `
              + `POST /api/outbox/${id}/retry sends it again: ${reason}`
          )
          yield* repo.fail(claim, reason)
          return outboxAttempts(1, { channel, result: "failed" })
        }
        const delay = yield* delayAfter(count, retryAfter)
        yield* Effect.logInfo(
          `Delivering message ${id} (${channel}) failed; attempt ${count + 1} in ${Duration.format(delay)}: ${reason}`
        )
        yield* repo.postpone(claim, reason, delay)
        if (Duration.lessThan(delay, pollInterval)) {
          yield* FiberSet.run(timers, Effect.delay(Queue.offer(hints, undefined), delay))
        }
        outboxAttempts(1, { channel, result: "retried" })
      })

    const settle = (claim: OutboxClaim, exit: Exit.Exit<string | null, DeliveryFailed>) =>
      Exit.match(exit, {
        onSuccess: (remark) =>
          Effect.map(repo.sent(claim, remark), () => outboxAttempts(1, { channel, result: "sent" })),
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? repo.release(claim)
            : failed(claim, Option.getOrElse(Cause.failureOption(cause), () => defect(cause)))
      }).pipe(
        Effect.retry(outage),
        Effect.catchAllCause((cause) =>
          Effect.logWarning(`Saving the result of message ${claim.message.id} failed; it may count as uncertain`, cause)
        )
      )

    const attempt = (claim: OutboxClaim) =>
      deliver(
        claim.message,
        checked(repo.handOver(claim, { mayRepeat, lease })),
        (progress) => checked(repo.keep(claim, progress))
      ).pipe(
        Effect.timeoutFail({ duration: attemptTimeout, onTimeout: () => timedOut(mayRepeat) }),
        Effect.onExit((exit) => settle(claim, exit)),
        Effect.raceFirst(renewals(repo, claim, lease)),
        Effect.ignore,
        Effect.ensuring(Queue.offer(hints, undefined))
      )

    const begin = Effect.uninterruptible(Effect.gen(function*() {
      const room = concurrency - (yield* FiberSet.size(attempts))
      if (room <= 0) return
      const { claims, next } = yield* repo.take(channel, { limit: room, limitOfOne: concurrencyOfOne, after, lease })
      if (after !== "" || next !== "") yield* Queue.offer(hints, undefined)
      after = next
      yield* Effect.forEach(claims, (claim) => FiberSet.run(attempts, Effect.interruptible(attempt(claim))), {
        discard: true
      })
    }))

    const recover = Effect.flatMap(
      repo.recover(channel, { maxAttempts, firstDelay, maxDelay }),
      ({ due, exhausted, uncertain }) =>
        due + exhausted + uncertain === 0 ? Effect.void : Effect.zipRight(
          Effect.logWarning(
            `${due + exhausted + uncertain} messages (${channel}) were being sent by a process that ended: ${due} will `
              + `be sent again, ${uncertain} may have arrived and ${exhausted} had their last attempt: these wait in `
              + "GET /api/outbox?state=failed"
          ),
          Queue.offer(hints, undefined)
        )
    )

    const rounds = Effect.raceFirst(Queue.take(hints), Effect.sleep(pollInterval)).pipe(
      Effect.zipRight(begin),
      logged(channel),
      Effect.forever
    )
    let counts: OutboxCounts = none(channel)
    yield* outboxWaiting(() => counts.waiting, { channel })
    yield* outboxOldestSeconds(() => counts.oldestSeconds, { channel })
    yield* outboxDeadLetters(() => counts.failed, { channel })
    const count = Effect.map(operations.counts, (found) => {
      counts = found.find((one) => one.channel === channel) ?? none(channel)
    })
    const counting = Effect.ignore(count).pipe(
      Effect.repeat(Schedule.spaced(countInterval)),
      // Another process counts from here on.
      Effect.ensuring(Effect.sync(() => (counts = none(channel))))
    )
    const recoveries = Effect.repeat(logged(channel)(recover), Schedule.spaced(recoveryInterval))
    const notified = Stream.runForEach(signals.receive("troupe_outbox"), () => Queue.offer(hints, undefined))

    yield* Effect.addFinalizer(() =>
      Effect.ignore(Effect.timeout(Effect.interruptible(FiberSet.awaitEmpty(attempts)), grace))
    )
    yield* sharding.registerSingleton(
      `troupe/outbox/${channel}`,
      Effect.raceAll([recoveries, counting, rounds, notified])
    )
  }))

const none = (channel: DeliveryChannel): OutboxCounts => ({ channel, waiting: 0, oldestSeconds: 0, failed: 0 })

/** A renewal that fails is left out: the lease lasts for three. */
const renewals = (repo: OutboxRepo["Type"], claim: OutboxClaim, lease: Duration.Duration) =>
  Effect.forever(Effect.delay(Effect.ignore(repo.renew(claim, lease)), Duration.times(lease, 1 / 3)))

/** The claim may have expired while this process was frozen. */
const checked = (change: Effect.Effect<boolean, SqlError>) =>
  change.pipe(
    Effect.mapError(() => DeliveryFailed.later("The database was unavailable before the message could be sent.")),
    Effect.filterOrFail((isOurs) => isOurs, () => DeliveryFailed.later("Another process has claimed the message."))
  ).pipe(Effect.asVoid)

const timedOut = (mayRepeat: boolean) =>
  DeliveryFailed.as(
    mayRepeat ? "later" : "uncertain",
    `Sending took longer than ${Duration.format(attemptTimeout)}: it may have arrived.`
  )

const defect = (cause: Cause.Cause<unknown>) =>
  DeliveryFailed.later(
    `Sending failed with a defect: ${Cause.prettyErrors(cause)[0]?.message ?? "no reason"}`.slice(0, 500)
  )

const outage = Schedule.spaced("1 second").pipe(Schedule.upTo("1 minute"))

const logged = (channel: string) => <A, R>(work: Effect.Effect<A, SqlError, R>) =>
  Effect.catchAllCause(work, (cause) =>
    Effect.zipRight(
      Effect.logWarning(`Reading the outbox (${channel}) failed; next attempt in 5 s`, cause),
      Effect.sleep("5 seconds")
    ))

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
