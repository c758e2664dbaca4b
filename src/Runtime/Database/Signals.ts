import { Context, Effect, Layer, Schedule, type Scope, Stream } from "effect"
import { v7 } from "uuid"
import { openSession } from "./Connections.ts"
import type { DatabaseUrl } from "./DatabaseUrl.ts"

const channels = [
  "troupe_inbound",
  "troupe_outbox",
  "troupe_schedules",
  "troupe_seats",
  "troupe_joined_users",
  "troupe_bulk",
  "troupe_wake",
  "troupe_steps",
  "troupe_revoked"
] as const

/** The queues in the database, the seats of the team, joined users, bulk operations and tasks, as NOTIFY names them. */
export type SignalChannel = (typeof channels)[number]

/** The words of a notification after its origin; null: notifications may have been lost. */
type SignalListener = (words: ReadonlyArray<string> | null) => void

/**
 * Hints that the database has changed. The statement that changes it notifies other processes with `origin`, and its caller
 * calls `send`. A signal may be lost, so every receiver polls too.
 */
export class Signals extends Context.Tag("troupe/Runtime/Database/Signals")<Signals, {
  /** Begins the payloads of this process, which does not receive them; null: there is no other process. */
  readonly origin: string | null
  /** Signals within the process. */
  readonly send: (channel: SignalChannel) => void
  /** Calls the listener at once for each signal; it must be quick. */
  readonly onSignal: (channel: SignalChannel, listener: SignalListener) => Effect.Effect<void, never, Scope.Scope>
  /** Signals that arrive while the reader is busy count as one. */
  readonly receive: (channel: SignalChannel) => Stream.Stream<void>
}>() {
  /** For the only process. */
  static readonly layerLocal: Layer.Layer<Signals> = Layer.sync(this, () => makeSignals(null).signals)

  /** Listens on a connection that is reopened after each loss. */
  static readonly layer: Layer.Layer<Signals, never, DatabaseUrl> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const origin = v7()
      const { notify, signals } = makeSignals(origin)
      const session = Effect.scoped(Effect.gen(function*() {
        const client = yield* openSession({ applicationName: "troupe-listener" })
        const lost = Effect.async<never, ConnectionLost>((resume) => {
          client.on("notification", ({ channel, payload = "" }) => {
            const [from, ...words] = payload.split(" ").filter((word) => word !== "")
            if (from !== origin && isChannel(channel)) notify(channel, words)
          })
          const end = () => resume(Effect.fail("lost"))
          client.on("error", end)
          client.on("end", end)
        })
        const query = (text: string) =>
          Effect.tryPromise({ try: () => client.query(text), catch: (): ConnectionLost => "lost" }).pipe(
            Effect.timeoutFail({ duration: "5 seconds", onTimeout: (): ConnectionLost => "lost" })
          )
        const listening = query(channels.map((channel) => `listen ${channel}`).join("; "))
        // A lost connection is noticed only by writing to it.
        const heartbeat = Effect.forever(Effect.delay(query("select 1"), "15 seconds"))
        const missed = Effect.sync(() => channels.forEach((channel) => notify(channel, null)))
        return yield* Effect.raceFirst(lost, Effect.zipRight(Effect.zipRight(listening, missed), heartbeat))
      }))
      yield* session.pipe(
        Effect.retry(Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("2 seconds")))),
        Effect.forkScoped
      )
      return signals
    })
  )
}

type ConnectionLost = "lost"

const isChannel = (name: string): name is SignalChannel => channels.some((channel) => channel === name)

const makeSignals = (origin: string | null) => {
  const listeners = new Map(channels.map((channel) => [channel, new Set<SignalListener>()]))
  const notify = (channel: SignalChannel, words: ReadonlyArray<string> | null) =>
    listeners.get(channel)?.forEach((listener) => listener(words))
  const onSignal = (channel: SignalChannel, listener: SignalListener) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => listeners.get(channel)?.add(listener)),
      () => Effect.sync(() => listeners.get(channel)?.delete(listener))
    ))
  const receive = (channel: SignalChannel) =>
    Stream.asyncPush<void>((emit) => onSignal(channel, () => void emit.single(undefined)), {
      bufferSize: 1,
      strategy: "sliding"
    })
  const send = (channel: SignalChannel) => notify(channel, [])
  return { notify, signals: Signals.of({ origin, send, onSignal, receive }) }
}
