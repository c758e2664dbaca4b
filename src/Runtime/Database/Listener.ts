import { Context, Effect, Layer, PubSub, Schedule, Stream } from "effect"
import { v7 } from "uuid"
import { openSession } from "./Connections.ts"
import type { DatabaseUrl } from "./DatabaseUrl.ts"

export interface DatabaseNotification {
  readonly channel: string
  readonly payload: string
}

/** LISTEN on a connection that is reopened after each loss. Payloads begin with their origin; own ones are dropped. */
export class Listener extends Context.Tag("troupe/Runtime/Database/Listener")<Listener, {
  readonly origin: string
  readonly notifications: Stream.Stream<DatabaseNotification>
  /** Emits after each (re)connection: notifications may have been lost, so the reader has to poll once. */
  readonly reconnected: Stream.Stream<void>
}>() {
  static readonly layer = (options: {
    readonly channels: ReadonlyArray<string>
  }): Layer.Layer<Listener, never, DatabaseUrl> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const origin = v7()
        const received = yield* PubSub.sliding<DatabaseNotification>(4096)
        const connected = yield* PubSub.sliding<void>(1)

        const session = Effect.scoped(Effect.gen(function*() {
          const client = yield* openSession({ applicationName: "troupe-listener" })
          const lost = Effect.async<never, ConnectionLost>((resume) => {
            client.on("notification", ({ channel, payload = "" }) => {
              const blank = payload.indexOf(" ")
              const from = blank === -1 ? payload : payload.slice(0, blank)
              if (from !== origin) {
                received.unsafeOffer({ channel, payload: blank === -1 ? "" : payload.slice(blank + 1) })
              }
            })
            const end = () => resume(Effect.fail("lost"))
            client.on("error", end)
            client.on("end", end)
          })
          const query = (text: string) =>
            Effect.tryPromise({ try: () => client.query(text), catch: (): ConnectionLost => "lost" }).pipe(
              Effect.timeoutFail({ duration: "5 seconds", onTimeout: (): ConnectionLost => "lost" })
            )
          const listening = query(options.channels.map((channel) => `listen ${channel}`).join("; "))
          // A lost connection is noticed only by writing to it.
          const heartbeat = Effect.forever(Effect.delay(query("select 1"), "15 seconds"))
          return yield* Effect.raceFirst(
            lost,
            Effect.zipRight(Effect.zipRight(listening, PubSub.publish(connected, undefined)), heartbeat)
          )
        }))
        yield* session.pipe(
          Effect.retry(Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("2 seconds")))),
          Effect.forkScoped
        )
        return Listener.of({
          origin,
          notifications: Stream.fromPubSub(received),
          reconnected: Stream.fromPubSub(connected)
        })
      })
    )
}

type ConnectionLost = "lost"
