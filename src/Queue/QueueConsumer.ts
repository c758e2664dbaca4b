import type { SqlError } from "@effect/sql/SqlError"
import { plural } from "@troupe/domain/Text"
import {
  Cause,
  Clock,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberSet,
  Queue as Hints,
  Schedule,
  type Scope,
  Stream
} from "effect"
import { type SignalChannel, Signals } from "../Runtime/Database/Signals.ts"
import { AttemptFailed, Superseded } from "./AttemptFailed.ts"
import { firstPosition, isFirst, type Queue, type QueueClaim } from "./Queue.ts"
import { countsOf, type QueueCounts } from "./QueueBacklog.ts"
import { delayAfter, isOutage, type RetryOptions } from "./RetryDelay.ts"

export interface ConsumerOptions extends RetryOptions {
  /** Rows that this process works on at the same time, and of one lane in all processes. */
  readonly maxActive: number
  readonly maxOfLane: number
  /** How long after its process's end a row is claimed again. A live process renews its leases. */
  readonly lease: Duration.DurationInput
  readonly timeout: Duration.DurationInput
  readonly pollInterval: Duration.DurationInput
  readonly maxAttempts: number
  readonly countInterval: Duration.DurationInput
  /** How long the end of the scope waits for attempts that have begun; those that are interrupted count as none. */
  readonly grace: Duration.DurationInput
}

/** `Save` is run after a successful attempt until it is committed; the timeout does not hold for it. */
export interface Work<C extends QueueClaim> {
  readonly queue: string
  readonly signal: SignalChannel
  readonly attempt: (claim: C) => Effect.Effect<Effect.Effect<unknown, SqlError>, unknown>
  readonly timedOut: AttemptFailed
  /** Of a failure that is final: how to begin anew. */
  readonly hint: (claim: C) => string
  /** The request that lists the rows that have failed. */
  readonly failures: string
  readonly onResult: (result: "done" | "failed" | "retried") => void
  /** What waits, as long as this process claims rows. */
  readonly onCounts: (counts: QueueCounts) => void
  /** Seconds until a row of its group may be processed; those rows of the group that have no lane wait meanwhile. */
  readonly limit?: {
    readonly groupOf: (claim: C) => string
    readonly secondsToWait: (group: string) => Effect.Effect<number>
  }
}

/** Saving a result is repeated; the lease is renewed meanwhile. */
const outage = Schedule.spaced("1 second").pipe(Schedule.upTo("1 minute"))

/**
 * Claims the rows of a queue and makes an attempt for each, until it is interrupted. Attempts end with the scope, also if
 * the effect is interrupted before.
 */
export const makeConsumer = <C extends QueueClaim>(
  queue: Queue<C>,
  { attempt, failures, hint, limit, onCounts, onResult, queue: name, signal, timedOut }: Work<C>,
  options: ConsumerOptions
): Effect.Effect<Effect.Effect<void>, never, Signals | Scope.Scope> =>
  Effect.gen(function*() {
    const { firstDelay, grace, lease, maxActive, maxAttempts, maxOfLane, pollInterval, timeout } = options
    const signals = yield* Signals
    const attempts = yield* FiberSet.make()
    const timers = yield* FiberSet.make()
    const hints = yield* Hints.sliding<void>(1)
    const claimNext = Effect.asVoid(Hints.offer(hints, undefined))
    /** Whether rows before `from` may have become due since they were considered. */
    let mayBeDue = false
    const claimSoon = Effect.zipRight(Effect.sync(() => (mayBeDue = true)), claimNext)
    /** Groups that have reached their limit, and when they may go on. */
    const paused = new Map<string, number>()
    let active = 0
    let from = firstPosition

    const dueAfter = (delay: Duration.Duration) =>
      Duration.lessThan(delay, Duration.max(pollInterval, "1 minute"))
        // Attempts are uninterruptible; a shutdown waits for no timer that one has set.
        ? FiberSet.run(timers, Effect.interruptible(Effect.delay(claimSoon, delay)))
        : Effect.void

    /** Logs a failure once, and succeeds with what saves it. */
    const failed = Effect.fnUntraced(function*(claim: C, failure: AttemptFailed) {
      const { kind, reason } = failure
      const subject = `Message ${claim.id} (${name})`
      const inOutage = isOutage(claim, failure)
      const isLast = !inOutage && claim.attempts >= maxAttempts
      if (kind === "refused" || kind === "uncertain" || isLast) {
        yield* Effect.logWarning(
          `${subject} failed${isLast ? ` in ${claim.attempts} attempts` : ""}; ${hint(claim)} ${reason}`
        )
        return Effect.map(queue.fail(claim, reason), () => onResult("failed"))
      }
      const delay = yield* delayAfter(claim, failure, options)
      yield* Effect.logInfo(
        `${subject} failed; ${inOutage ? "next attempt" : `attempt ${claim.attempts + 1}`} in ${
          Duration.format(delay)
        }: ${reason}`
      )
      const save = inOutage ? queue.release(claim, reason, delay) : queue.retry(claim, reason, delay)
      return Effect.map(Effect.zipRight(save, dueAfter(delay)), () => onResult("retried"))
    })

    /** Succeeds with what saves the result. */
    const resultOf = (
      claim: C,
      exit: Exit.Exit<Effect.Effect<unknown, SqlError>, unknown>
    ): Effect.Effect<Effect.Effect<unknown, SqlError>> => {
      if (Exit.isSuccess(exit)) return Effect.succeed(Effect.map(exit.value, () => onResult("done")))
      if (Cause.isInterruptedOnly(exit.cause)) return Effect.succeed(queue.release(claim, null, Duration.zero))
      const error = Cause.squash(exit.cause)
      if (error instanceof Superseded) {
        return Effect.as(
          Effect.logDebug(`The result of message ${claim.id} is not saved: ${error.message}`),
          Effect.void
        )
      }
      return failed(claim, AttemptFailed.from(error))
    }

    /** A renewal that fails is left out: the lease lasts for three. */
    const renewals = (claim: C) =>
      Effect.forever(Effect.delay(Effect.ignore(queue.renew(claim, lease)), Duration.times(lease, 1 / 3)))

    const process = Effect.fnUntraced(function*(claim: C) {
      const group = limit?.groupOf(claim) ?? ""
      const seconds = limit === undefined ? 0 : yield* limit.secondsToWait(group)
      if (seconds > 0) {
        paused.set(group, (yield* Clock.currentTimeMillis) + seconds * 1_000)
        yield* queue.release(claim, null, Duration.seconds(seconds))
        return yield* dueAfter(Duration.seconds(seconds))
      }
      const renewing = yield* Effect.fork(Effect.interruptible(renewals(claim)))
      const exit = yield* Effect.exit(
        Effect.interruptible(Effect.timeoutFail(attempt(claim), { duration: timeout, onTimeout: () => timedOut }))
      )
      yield* resultOf(claim, exit).pipe(
        Effect.flatMap((save) => Exit.isInterrupted(exit) ? save : Effect.retry(save, outage)),
        Effect.ensuring(Fiber.interrupt(renewing))
      )
    })

    const work = (claim: C) =>
      process(claim).pipe(
        Effect.catchAllCause((cause) =>
          Effect.logWarning(
            `Saving the result of message ${claim.id} failed; it is retried after its lease, or marked as uncertain if it `
              + "may have been sent",
            cause
          )
        ),
        Effect.ensuring(Effect.zipRight(Effect.sync(() => active -= 1), claimSoon)),
        Effect.annotateLogs("message_id", claim.id),
        Effect.uninterruptible
      )

    const claimDue = Effect.uninterruptible(Effect.gen(function*() {
      const room = maxActive - active
      if (room === 0) return
      const now = yield* Clock.currentTimeMillis
      paused.forEach((until, group) => until <= now && paused.delete(group))
      if (isFirst(from)) mayBeDue = false
      const { claims, ended, next } = yield* queue.claim(name, {
        limit: room,
        limitOfLane: maxOfLane,
        lease,
        maxAttempts,
        firstDelay,
        from,
        exceptGroups: [...paused.keys()]
      })
      from = next
      active += claims.length
      yield* Effect.forEach(claims, (claim) => FiberSet.run(attempts, work(claim)), { discard: true })
      if (claims.length > 0) mayBeDue = true
      if (mayBeDue || !isFirst(next)) yield* claimNext
      const { deferred, exhausted, uncertain } = ended
      if (deferred + exhausted + uncertain > 0) {
        yield* Effect.logWarning(
          `A process ended while it processed ${
            plural(deferred + exhausted + uncertain, "message")
          } (${name}): ${deferred} `
            + `will be retried, ${uncertain} may have arrived and ${exhausted} had the last attempt; see ${failures}`
        )
      }
    }))

    const rounds = Effect.raceFirst(Hints.take(hints), Effect.sleep(pollInterval)).pipe(
      // Under load, several rows are claimed together.
      Effect.zipRight(
        Effect.suspend(() => maxActive - active < maxActive / 2 ? Effect.sleep("20 millis") : Effect.void)
      ),
      Effect.zipRight(claimDue),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.zipRight(
          Effect.logWarning(
            `Claiming messages of ${name} failed; next attempt in ${Duration.format(pollInterval)}`,
            cause
          ),
          Effect.sleep(pollInterval)
        )
      ),
      Effect.forever
    )

    yield* Effect.addFinalizer(() =>
      Effect.ignore(Effect.timeout(Effect.interruptible(FiberSet.awaitEmpty(attempts)), grace))
    )
    const counting = Effect.map(queue.counts(name), onCounts).pipe(
      Effect.catchAllCause((cause) => Effect.logDebug(`Counting messages of ${name} failed`, cause)),
      Effect.repeat(Schedule.spaced(options.countInterval)),
      // Another process counts from here on.
      Effect.ensuring(Effect.sync(() => onCounts(countsOf(name, []))))
    )
    const signalled = Stream.runForEach(signals.receive(signal), () => claimSoon)
    // What a process had claimed that ended before this began.
    const taken = Effect.zipRight(claimSoon, dueAfter(Duration.decode(lease)))
    return Effect.zipRight(taken, Effect.all([rounds, counting, signalled], { concurrency: 3, discard: true }))
  })
