import { SqlClient } from "@effect/sql/SqlClient"
import { Context, type Duration, Effect, Layer, Option, type Scope, Stream } from "effect"
import { v7 } from "uuid"
import { ThroughPooler } from "./DatabaseUrl.ts"
import { asService } from "./Isolation.ts"
import { Session } from "./Session.ts"

const channels = [
  "troupe_inbound",
  "troupe_outbox",
  "troupe_schedules",
  "troupe_seats",
  "troupe_joined_users",
  "troupe_bulk",
  "troupe_tool_servers",
  "troupe_models",
  "troupe_settings",
  "troupe_policy",
  "troupe_wake",
  "troupe_steps",
  "troupe_revoked"
] as const

/** The queues in the database, the seats of the team, joined users, bulk operations, tool servers, settings, models and tasks, as NOTIFY names them. */
export type SignalChannel = (typeof channels)[number]

/** The channel on which a process notifies itself. */
const echo = "troupe_echo"

/** Channels that are signalled ten times a second while notifications are lost. */
const urgent: ReadonlyArray<SignalChannel> = ["troupe_inbound", "troupe_outbox", "troupe_steps", "troupe_wake"]
const urgentInterval = "100 millis"
const othersInterval = "5 seconds"

/** The words of a notification after its origin; null: notifications may have been lost. */
type SignalListener = (words: ReadonlyArray<string> | null) => void

/**
 * Hints that the database has changed. The statement that changes it notifies other processes with `origin`, and its caller
 * calls `send`. A signal may be lost, so every receiver polls too.
 */
export class Signals extends Context.Tag("troupe/Runtime/Database/Signals")<Signals, {
  /** Begins the payloads of this process, which does not receive them; null: there is no other process. */
  readonly origin: string | null
  /** Why notifications do not arrive, and what to do; null: they do, as far as is known. */
  readonly problem: Effect.Effect<string | null>
  /** Signals within the process. */
  readonly send: (channel: SignalChannel) => void
  /** Calls the listener at once for each signal; it must be quick. */
  readonly onSignal: (channel: SignalChannel, listener: SignalListener) => Effect.Effect<void, never, Scope.Scope>
  /** Signals that arrive while the reader is busy count as one. */
  readonly receive: (channel: SignalChannel) => Stream.Stream<void>
}>() {
  /** Within the process. */
  static readonly layerLocal: Layer.Layer<Signals> = Layer.sync(this, () => makeSignals(null).signals)

  /** For the only process, which its statements notify of what they put into the outbox. */
  static readonly layerAlone: Layer.Layer<Signals, never, Session> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const session = yield* Session
      const { notify, signals } = makeSignals(null)
      yield* session.onOpened((client) => {
        client.on("notification", () => notify("troupe_outbox", []))
        client.query("listen troupe_outbox", () => notify("troupe_outbox", null))
      })
      return signals
    })
  )

  /**
   * Listens on the session of the process. At its start and each minute it notifies itself by way of another connection. While that does not arrive,
   * it signals the urgent channels ten times a second, and the others every five seconds.
   */
  static readonly layer: Layer.Layer<Signals, never, Session | SqlClient> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const session = yield* Session
      const advice = (yield* ThroughPooler) ? throughPooler : unknownReason
      const origin = v7()
      const lost = yield* Effect.makeLatch(false)
      const echoed = yield* Effect.makeLatch(false)
      let problem: string | null = null
      const { notify, signals } = makeSignals(origin, Effect.sync(() => problem))
      const found = (arrived: boolean) =>
        Effect.suspend(() => {
          const before = problem
          problem = arrived ? null : `${notArriving} ${advice}`
          return Effect.zipRight(
            arrived ? lost.close : lost.open,
            before === problem
              ? Effect.void
              : problem === null
              ? Effect.logInfo("Notifications of the database arrive again")
              : Effect.logWarning(problem)
          )
        })
      const check = echoed.close.pipe(
        Effect.zipRight(asService(sql`select pg_notify(${echo}, ${origin})`)),
        Effect.zipRight(Effect.timeoutOption(echoed.await, "3 seconds")),
        Effect.flatMap((arrived) => found(Option.isSome(arrived))),
        // A database that does not respond is reported by others.
        Effect.catchAll(() => Effect.void)
      )
      const pause = Effect.suspend(() => Effect.sleep(problem === null ? "1 minute" : "5 seconds"))
      const whileLost = (of: ReadonlyArray<SignalChannel>, interval: Duration.DurationInput) =>
        lost.await.pipe(
          Effect.zipRight(Effect.sync(() => of.forEach((channel) => notify(channel, null)))),
          Effect.zipRight(Effect.sleep(interval)),
          Effect.forever,
          Effect.forkScoped
        )
      yield* whileLost(urgent, urgentInterval)
      yield* whileLost(channels.filter((channel) => !urgent.includes(channel)), othersInterval)
      const listening = yield* Effect.makeLatch(false)
      yield* session.onOpened((client) => {
        client.on("notification", ({ channel, payload = "" }) => {
          const [from, ...words] = payload.split(" ").filter((word) => word !== "")
          if (channel === echo && from === origin) echoed.unsafeOpen()
          if (from !== origin && isChannel(channel)) notify(channel, words)
        })
        client.query([...channels, echo].map((channel) => `listen ${channel}`).join("; "), (error: unknown) => {
          // With an error, the connection has ended.
          if (error !== null && error !== undefined) return
          listening.unsafeOpen()
          channels.forEach((channel) => notify(channel, null))
        })
      })
      yield* Effect.timeoutOption(listening.await, "5 seconds").pipe(
        Effect.zipRight(Effect.forever(Effect.zipRight(check, pause))),
        Effect.forkScoped
      )
      return signals
    })
  )
}

const notArriving =
  "Notifications of the database do not arrive, so it is polled ten times a second, and tasks start later."
const throughPooler =
  "It is reached through a connection pooler: set DATABASE_DIRECT_URL to the address of the server itself."
const unknownReason =
  "DATABASE_DIRECT_URL, or DATABASE_URL without it, must be the address of the server that DATABASE_URL "
  + "leads to, without a connection pooler between."

const isChannel = (name: string): name is SignalChannel => channels.some((channel) => channel === name)

const makeSignals = (origin: string | null, problem: Effect.Effect<string | null> = Effect.succeed(null)) => {
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
  return { notify, signals: Signals.of({ origin, problem, send, onSignal, receive }) }
}

/** Makes what follows a write by signals to this process and the others, which poll where theirs is lost. */
export const makeAnnounced = (channel: SignalChannel) =>
  Effect.map(
    Effect.all([SqlClient, Signals]),
    ([sql, signals]) => <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.uninterruptible(Effect.zipLeft(
        write,
        Effect.zipRight(
          Effect.ignore(asService(sql`select pg_notify(${channel}, '')`)),
          Effect.sync(() => signals.send(channel))
        )
      ))
  )
