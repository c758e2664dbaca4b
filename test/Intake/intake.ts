import { Context, Duration, Effect, ExecutionStrategy, Exit, Layer, Scope } from "effect"
import { defaultOptions, InboundConsumer } from "../../src/Intake/InboundConsumer.ts"
import type { InboundHandler, InboundMessage, NewInboundMessage } from "../../src/Intake/InboundMessage.ts"
import { InboundQueue } from "../../src/Intake/InboundQueue.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { AttemptFailed } from "../../src/Queue/AttemptFailed.ts"
import type { ConsumerOptions } from "../../src/Queue/QueueConsumer.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { request } from "../support/GivenTasks.ts"
import { Wire } from "../support/TaskWorld.ts"

export const arrival = (more: Partial<NewInboundMessage> = {}): NewInboundMessage => ({
  source: webhookSource,
  type: "orders",
  deliveryId: null,
  orderingKey: null,
  sender: null,
  creator: null,
  isVerified: true,
  body: Buffer.from("{\"order\": 1}"),
  headers: { "content-type": "application/json" },
  contentType: "application/json",
  url: "/webhook/orders",
  sourceIp: "192.0.2.1",
  ...more
})

export const accept = (more: Partial<NewInboundMessage> = {}) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(InboundQueue.layer)
    return yield* Context.get(context, InboundQueue).accept(arrival(more))
  }).pipe(Effect.scoped)

/** A consumer that runs until it is stopped, or the test ends. Pauses are short. */
export const startConsumer = <E extends { readonly message: string }, R>(
  handler: InboundHandler<E, R>,
  options: Partial<ConsumerOptions> = {}
) =>
  Effect.gen(function*() {
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
    const context = yield* InboundConsumer.layer({
      ...defaultOptions,
      pollInterval: Duration.millis(100),
      firstDelay: Duration.millis(1),
      ...options
    }).pipe(Layer.build, Scope.extend(scope))
    yield* Context.get(context, InboundConsumer).start(handler).pipe(Scope.extend(scope))
    return { stop: Scope.close(scope, Exit.void) }
  })

export interface Row {
  readonly state: string
  readonly attempts: number
  readonly last_error: string | null
  readonly task_id: string | null
  readonly type: string
}

/** All messages, in the order of their arrival. */
export const rows = Effect.flatMap(
  Wire,
  ({ query }) =>
    query<Row>("select state, attempts, last_error, task_id::text, type from inbound_messages order by position")
)

export const states = Effect.map(rows, (all) => all.map(({ state }) => state))

export const all = (state: string) => (found: ReadonlyArray<string>) =>
  found.length > 0 && found.every((one) => one === state)

/** Makes a task of each message, after `before` has run outside of the transaction. */
export const makesTasks = (
  before: (message: InboundMessage) => Effect.Effect<void, AttemptFailed> = () => Effect.void
): InboundHandler<AttemptFailed, Tasks> => ({
  source: webhookSource,
  prepare: (message) =>
    Effect.zipRight(
      before(message),
      Effect.succeed(
        Effect.flatMap(Tasks, (tasks) => tasks.submit(request(Buffer.from(message.body).toString()))).pipe(
          Effect.map(({ id }) => ({ taskId: id })),
          Effect.mapError(({ message }) => AttemptFailed.refused(message))
        )
      )
    )
})
