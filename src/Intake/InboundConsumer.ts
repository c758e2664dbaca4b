import { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Duration, Effect, FiberSet, Layer, Option, Queue, Schedule, type Scope, Stream } from "effect"
import * as GroupCommit from "../Runtime/Database/GroupCommit.ts"
import type { PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { QueueSignals } from "../Runtime/Database/QueueSignals.ts"
import { isUnavailable } from "../Runtime/Database/Sql.ts"
import { memoryLimit } from "../Runtime/RateLimits.ts"
import { gauge, open } from "../Runtime/Telemetry/Metrics.ts"
import { TaskTransactions } from "../Task/TaskTransactions.ts"
import { type RetryOptions, saveResult } from "./AttemptResult.ts"
import { InboundFailed, type InboundHandler, orSuperseded, Superseded } from "./InboundMessage.ts"
import { type ClaimPosition, type InboundClaim, makeInboundRepo } from "./InboundRepo.ts"

export interface InboundConsumerOptions extends RetryOptions {
  readonly pollInterval: Duration.Duration
  /** Messages of one source that this process prepares at the same time. */
  readonly maxActive: number
  /** Messages that it writes in one transaction, as long as none of them fails. */
  readonly maxGroup: number
  /** How long after its consumer's end another one may take a message. A live consumer renews its leases. */
  readonly lease: Duration.Duration
  readonly timeout: Duration.Duration
}

export const defaultOptions: InboundConsumerOptions = {
  pollInterval: Duration.seconds(1),
  maxActive: 32,
  maxGroup: 16,
  lease: Duration.seconds(10),
  timeout: Duration.minutes(1),
  maxAttempts: 5,
  firstPause: Duration.seconds(1)
}

/** Processes each message of the queue exactly once, also if processes are killed. */
export class InboundConsumer extends Context.Tag("troupe/Intake/InboundConsumer")<InboundConsumer, {
  /** Processes the messages of the handler's source until the scope ends. */
  readonly start: <E extends { readonly message: string }, R>(
    handler: InboundHandler<E, R>
  ) => Effect.Effect<void, never, R | Scope.Scope>
}>() {
  static readonly layer = (
    options: InboundConsumerOptions = defaultOptions
  ): Layer.Layer<InboundConsumer, never, PreparedStatements | QueueSignals | TaskTransactions> =>
    Layer.scoped(
      this,
      Effect.map(makeResources(options), (resources) =>
        InboundConsumer.of({ start: (handler) => consume(handler, resources) }))
    )
}

const makeResources = Effect.fnUntraced(function*(options: InboundConsumerOptions) {
  const transactions = yield* TaskTransactions
  return {
    ...options,
    repo: yield* makeInboundRepo,
    signals: yield* QueueSignals,
    // One connection is enough for all of them, and leaves the others to the rest of the process.
    ...yield* GroupCommit.make<Effect.Effect<void, unknown>, void, unknown>({
      write: (acts) => Effect.as(transactions.run(Effect.all(acts, { discard: true })), acts.map(() => undefined)),
      maxGroup: options.maxGroup,
      writers: 1,
      isRefusal: (error) => !(error instanceof SqlError && isUnavailable(error))
    })
  }
})

const consume = Effect.fnUntraced(function*<E extends { readonly message: string }, R>(
  { deletesContent = false, perMinute = 0, prepare, source }: InboundHandler<E, R>,
  resources: Effect.Effect.Success<ReturnType<typeof makeResources>>
) {
  const { commit, lease, maxActive, maxAttempts, pollInterval, repo, signals, timeout } = resources
  const claimRequests = yield* Queue.sliding<void>(1)
  const requestClaim = Effect.sync(() => void claimRequests.unsafeOffer(undefined))
  const [fork, context] = yield* Effect.all([FiberSet.makeRuntime<R>(), Effect.context<R>()])
  const secondsToWait = memoryLimit(perMinute)
  let active = 0
  let from: ClaimPosition = { type: "", key: "" }
  /** Types that have reached their limit, and when they may go on. */
  const paused = new Map<string, number>()

  const attempt = (claim: InboundClaim) =>
    Effect.gen(function*() {
      const message = yield* repo.read(claim)
      if (Option.isNone(message)) return yield* new Superseded()
      const act = yield* prepare(message.value)
      const acted = Effect.tap(act, ({ taskId }) =>
        orSuperseded(repo.finish(claim, { taskId, keepsContent: !deletesContent })))
      yield* commit(Effect.provide(acted, context))
    }).pipe(
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () =>
          InboundFailed.later(`Processing took longer than ${Duration.format(timeout)}.`)
      }),
      Effect.raceFirst(renewals(claim))
    )

  const renewals = (claim: InboundClaim) =>
    orSuperseded(repo.renew(claim, lease)).pipe(Effect.delay(Duration.times(lease, 1 / 3)), Effect.forever)

  const pauseType = (claim: InboundClaim, pause: Duration.Duration) =>
    Effect.zipRight(
      Effect.map(Clock.currentTimeMillis, (now) => void paused.set(claim.type, now + Duration.toMillis(pause))),
      repo.release(claim, pause)
    )

  const pausedTypes = Effect.map(Clock.currentTimeMillis, (now) => {
    paused.forEach((until, type) => until <= now && paused.delete(type))
    return [...paused.keys()]
  })

  const process = (claim: InboundClaim) =>
    Effect.uninterruptibleMask((restore) =>
      restore(secondsToWait(claim.type)).pipe(
        Effect.flatMap((seconds) =>
          seconds > 0
            ? pauseType(claim, Duration.seconds(seconds))
            : Effect.flatMap(
              Effect.exit(restore(attempt(claim))),
              (exit) => saveResult(repo, source, resources, claim, exit)
            )
        ),
        Effect.catchAllCause((cause) =>
          Effect.logWarning(
            `Saving the result of message ${claim.id} failed; it will be claimed again in ${Duration.format(lease)}`,
            cause
          )
        ),
        Effect.ensuring(Effect.zipRight(Effect.sync(() => active -= 1), requestClaim)),
        Effect.annotateLogs("inbound_id", claim.id)
      )
    )

  const claimDue = Effect.gen(function*() {
    const limit = maxActive - active
    // A claim is a commit, so several messages are claimed together.
    if (limit < maxActive / 2) return
    const exceptTypes = yield* pausedTypes
    const { claims, next } = yield* repo.claim({ source, limit, lease, maxAttempts, from, exceptTypes })
    const isOver = next.type === null && next.key === null
    from = claims.length > 0 || isOver ? { type: next.type ?? "", key: next.key ?? "" } : next
    active += claims.length
    claims.forEach((claim) => fork(process(claim)))
    if (claims.length > 0 || !isOver) yield* requestClaim
  }).pipe(Effect.uninterruptible)

  const claiming = Effect.forever(
    Effect.zipRight(
      Queue.take(claimRequests),
      Effect.catchAllCause(claimDue, (cause) =>
        Effect.zipRight(
          Effect.logWarning(
            `Claiming messages of ${source} failed; next attempt in ${Duration.format(pollInterval)}`,
            cause
          ),
          Effect.sleep(pollInterval)
        ))
    )
  )
  yield* Effect.forkScoped(Stream.runForEach(signals.receive("troupe_inbound"), () => requestClaim))
  yield* Effect.forkScoped(Effect.repeat(requestClaim, Schedule.spaced(pollInterval)))
  yield* Effect.forkScoped(claiming)

  let backlog = { unfinished: 0, oldestSeconds: 0 }
  yield* inboundUnfinished(() => backlog.unfinished, { source })
  yield* inboundOldestSeconds(() => backlog.oldestSeconds, { source })
  const count = Effect.map(repo.backlog(source), (counted) => void (backlog = counted)).pipe(
    Effect.catchAllCause((cause) => Effect.logDebug(`Counting messages of ${source} failed`, cause))
  )
  yield* Effect.forkScoped(Effect.repeat(count, Schedule.spaced("10 seconds")))
})

const inboundUnfinished = gauge(
  "troupe_inbound_unfinished",
  "Messages from outside that are not processed yet, as this process last counted them.",
  { source: open }
)

const inboundOldestSeconds = gauge(
  "troupe_inbound_oldest_seconds",
  "Age of the oldest message from outside that is not processed yet, as this process last counted them.",
  { source: open }
)
