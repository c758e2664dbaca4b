import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { Listener } from "./Listener.ts"

/** The queues in the database, the seats of the team, joined users and bulk operations, by the name of their NOTIFY channel. */
export const queues = [
  "troupe_inbound",
  "troupe_outbox",
  "troupe_schedules",
  "troupe_seats",
  "troupe_joined_users",
  "troupe_bulk"
] as const
export type QueueName = (typeof queues)[number]

const isQueue = (channel: string): channel is QueueName => queues.some((queue) => queue === channel)

// Sliding: a slow reader loses signals, and every reader polls too.
const makeHub = Effect.map(PubSub.sliding<QueueName>(256), (hub) => ({
  send: (queue: QueueName) => void hub.unsafeOffer(queue),
  receive: (queue: QueueName): Stream.Stream<void> =>
    Stream.fromPubSub(hub).pipe(Stream.filter((one) => one === queue), Stream.as(undefined))
}))

/** Signals new rows, and changed seats: the statement that adds them notifies with `origin`, and its caller calls `send`. */
export class QueueSignals extends Context.Tag("troupe/Runtime/Database/QueueSignals")<QueueSignals, {
  readonly origin: string | null
  readonly send: (queue: QueueName) => void
  readonly receive: (queue: QueueName) => Stream.Stream<void>
}>() {
  static readonly layerLocal: Layer.Layer<QueueSignals> = Layer.effect(
    this,
    Effect.map(makeHub, (hub) => QueueSignals.of({ ...hub, origin: null }))
  )

  static readonly layer: Layer.Layer<QueueSignals, never, Listener> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const { notifications, origin, reconnected } = yield* Listener
      const hub = yield* makeHub
      yield* notifications.pipe(
        Stream.runForEach(({ channel }) => Effect.sync(() => isQueue(channel) && hub.send(channel))),
        Effect.forkScoped
      )
      yield* reconnected.pipe(Stream.runForEach(() => Effect.sync(() => queues.forEach(hub.send))), Effect.forkScoped)
      return QueueSignals.of({ ...hub, origin })
    })
  )
}
