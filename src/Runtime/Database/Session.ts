import { Context, Effect, Layer, Schedule, type Scope } from "effect"
import type { Client } from "pg"
import { openSession } from "./Connections.ts"
import type { DatabaseUrl } from "./DatabaseUrl.ts"

export type SessionLost = "lost"

type Row = Readonly<Record<string, unknown>>

/** A statement that takes longer belongs to a connection that is dead, or to a server that is. */
const timeout = "9 seconds"

/**
 * The connection of the process for what lasts as long as a session of the server: it listens for notifications, holds the
 * lock of a runner's address, and sends its heartbeats. It is opened again after each loss.
 */
export class Session extends Context.Tag("troupe/Runtime/Database/Session")<Session, {
  /** Waits for a session, and fails with its end. */
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>, SessionLost>
  /** Calls the listener with each session that opens, and at once with an open one. */
  readonly onOpened: (listener: (client: Client) => void) => Effect.Effect<void, never, Scope.Scope>
}>() {
  static readonly layer: Layer.Layer<Session, never, DatabaseUrl> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const listeners = new Set<(client: Client) => void>()
      const opened = yield* Effect.makeLatch(false)
      let current: Client | null = null
      let used = false

      const run = (client: Client, text: string, values: ReadonlyArray<unknown> = []) =>
        Effect.async<ReadonlyArray<Row>, SessionLost>((resume) => {
          client.query<Row>(
            text,
            [...values],
            (error: Error | null | undefined, result) =>
              resume(error === null || error === undefined ? Effect.succeed(result.rows) : Effect.fail("lost"))
          )
        }).pipe(
          // Others wait for the session too: another one is opened.
          Effect.timeoutFail({
            duration: timeout,
            onTimeout: (): SessionLost => {
              client.connection.stream.destroy()
              return "lost"
            }
          })
        )

      const session = Effect.scoped(Effect.gen(function*() {
        const client = yield* openSession({
          applicationName: "troupe-session",
          // The server notices within seconds that a machine was lost, instead of hours.
          session: { tcp_keepalives_idle: "5", tcp_keepalives_interval: "2", tcp_keepalives_count: "3" }
        })
        const ended = Effect.async<never, SessionLost>((resume) => {
          const end = () => resume(Effect.fail("lost"))
          client.on("error", end)
          client.on("end", end)
        })
        // A lost connection is noticed only by writing to it. Heartbeats do that more often.
        const alive = Effect.forever(Effect.delay(
          Effect.suspend(() => {
            const isUsed = used
            used = false
            return isUsed ? Effect.void : run(client, "select 1")
          }),
          "15 seconds"
        ))
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            current = client
            opened.unsafeOpen()
            listeners.forEach((listener) => listener(client))
          }),
          () =>
            Effect.sync(() => {
              current = null
              opened.unsafeClose()
            })
        )
        return yield* Effect.raceFirst(ended, alive)
      }))
      yield* session.pipe(
        Effect.retry(Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("2 seconds")))),
        Effect.forkScoped
      )
      return Session.of({
        query: (text, values) =>
          Effect.zipRight(
            opened.await,
            Effect.suspend(() => {
              used = true
              return current === null ? Effect.fail("lost" as const) : run(current, text, values)
            })
          ),
        onOpened: (listener) =>
          Effect.asVoid(Effect.acquireRelease(
            Effect.sync(() => {
              listeners.add(listener)
              if (current !== null) listener(current)
            }),
            () => Effect.sync(() => listeners.delete(listener))
          ))
      })
    })
  )
}
