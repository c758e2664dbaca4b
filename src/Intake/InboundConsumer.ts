import { SqlError } from "@effect/sql/SqlError"
import { Array, Context, Duration, Effect, Layer, Schema, type Scope } from "effect"
import { AttemptFailed, orSuperseded, Superseded } from "../Queue/AttemptFailed.ts"
import { makeQueue, type QueueClaim } from "../Queue/Queue.ts"
import { countsOf } from "../Queue/QueueBacklog.ts"
import { type ConsumerOptions, makeConsumer } from "../Queue/QueueConsumer.ts"
import * as GroupCommit from "../Runtime/Database/GroupCommit.ts"
import { prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import { isUnavailable } from "../Runtime/Database/Sql.ts"
import { memoryLimit } from "../Runtime/RateLimits.ts"
import { counter, gauge, open } from "../Runtime/Telemetry/Metrics.ts"
import { TaskTransactions } from "../Task/Command/TaskTransactions.ts"
import { inboundColumns, type InboundHandler, InboundMessage, inboundTable } from "./InboundMessage.ts"

export const defaultOptions: ConsumerOptions = {
  maxActive: 32,
  maxOfLane: 1,
  lease: Duration.seconds(10),
  timeout: Duration.minutes(1),
  // A signal announces each message; the poll finds messages whose process ended first.
  pollInterval: Duration.seconds(30),
  firstDelay: Duration.seconds(1),
  growth: 4,
  maxAttempts: 5,
  countInterval: Duration.seconds(30),
  grace: Duration.zero
}

/** Messages that are written in one transaction, as long as none of them fails. */
const maxGroup = 16

/** Processes each message of the queue exactly once, also if processes are killed. */
export class InboundConsumer extends Context.Tag("troupe/Intake/InboundConsumer")<InboundConsumer, {
  /** Processes the messages of the handler's source until the scope ends. */
  readonly start: <E extends { readonly message: string }, R>(
    handler: InboundHandler<E, R>
  ) => Effect.Effect<void, never, R | Scope.Scope>
}>() {
  static readonly layer = (
    options: ConsumerOptions = defaultOptions
  ): Layer.Layer<InboundConsumer, never, PreparedStatements | Signals | TaskTransactions> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const { execute } = yield* PreparedStatements
        const signals = yield* Signals
        const transactions = yield* TaskTransactions
        const queue = yield* makeQueue(inboundTable, Schema.Struct({ type: Schema.String }))
        // One connection is enough for all of them, and leaves the others to the rest of the process.
        const { commit } = yield* GroupCommit.make<Effect.Effect<void, unknown>, void, unknown>({
          write: (acts) => Effect.as(transactions.run(Effect.all(acts, { discard: true })), acts.map(() => undefined)),
          maxGroup,
          writers: 1,
          isRefusal: (error) => !(error instanceof SqlError && isUnavailable(error))
        })
        const readMessage = ({ epoch, id }: QueueClaim) =>
          Effect.map(messagesOf(execute(read({ id, epoch }))), Array.head)

        return InboundConsumer.of({
          start: Effect.fnUntraced(function*<E extends { readonly message: string }, R>(
            { deletesContent = false, perMinute = () => 0, prepare, source }: InboundHandler<E, R>
          ) {
            const context = yield* Effect.context<R>()
            const attempt = Effect.fnUntraced(function*(claim: QueueClaim) {
              const message = yield* Effect.flatten(readMessage(claim)).pipe(Effect.mapError(Superseded.byClaim))
              const act = yield* Effect.provide(prepare(message), context)
              const acted = Effect.tap(
                act,
                ({ taskId }) => orSuperseded(queue.finish(claim, null, { task: taskId, keepsContent: !deletesContent }))
              )
              yield* commit(Effect.asVoid(Effect.provide(acted, context)))
              return Effect.void
            })
            let counts = countsOf(source, [])
            yield* inboundUnfinished(() => counts.unfinished, { source })
            yield* inboundOldestSeconds(() => counts.oldestSeconds, { source })
            const run = yield* makeConsumer(queue, {
              queue: source,
              signal: "troupe_inbound",
              attempt,
              timedOut: AttemptFailed.later(`Processing took longer than ${Duration.format(options.timeout)}.`),
              hint: ({ id }) => `POST /webhook/deliveries/${id}/replay processes it again:`,
              failures: `GET /webhook/deliveries?source=${source}&state=failed`,
              onResult: (result) => inboundProcessed(1, { source, result }),
              onCounts: (found) => void (counts = found),
              limit: { groupOf: ({ type }) => type, secondsToWait: memoryLimit(perMinute) }
            }, options).pipe(Effect.provideService(Signals, signals))
            yield* Effect.forkScoped(run)
          })
        })
      })
    )
}

const messagesOf = rowsOf(InboundMessage)

const read = prepared(
  "inbound_read",
  ["id", "epoch"],
  `select ${inboundColumns} from inbound_messages
where id = $id::uuid and epoch = $epoch::integer and state = 'processing' and body is not null`
)

const inboundProcessed = counter(
  "troupe_inbound_processed",
  "Attempts to process a message from outside, by their result.",
  { source: open, result: ["done", "retried", "failed"] }
)

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
