import { Clock, Deferred, Duration, Effect, ExecutionStrategy, FiberId, Scope } from "effect"
import { type CallTimeouts, withTimeout } from "./CallTimeout.ts"
import { CallFailed, connect, type ConnectFailed, type Connection, type ConnectionOptions } from "./Connection.ts"
import type { Call } from "./SupervisedServer.ts"
import type { ToolServer } from "./ToolServer.ts"

/** Connections of one agent's own. */
export interface ToolSession {
  readonly call: Call
}

/** A connection, or the attempt to make one. */
interface Reached {
  readonly server: ToolServer
  readonly connection: Deferred.Deferred<Connection, ConnectFailed>
  /** Null until there is one. */
  opened: Connection | null
  /** Nothing of it is left. */
  readonly ended: Deferred.Deferred<void>
}

/** A server that could not be reached is not tried again for so long: each call would wait for it anew. */
const failurePause = Duration.seconds(10)

const notReached = (limit: Duration.Duration): string =>
  `it can't be reached within ${Duration.format(limit)}, which is all that the time-out of the task's step allows`

/**
 * A session of its own with every server: the connection, or the process, is made with the first call to the server,
 * is nobody else's, and ends with the scope. One that was lost is made again by the next call. Calls that wait for the
 * same connection share one attempt, and for some seconds its failure.
 */
export const openSession = (
  serverOf: (name: string) => ToolServer | null,
  options: ConnectionOptions & CallTimeouts
): Effect.Effect<ToolSession, never, Scope.Scope> =>
  Effect.gen(function*() {
    const own = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const known = new Map<string, Reached>()

    /** As long as the connection, or the memory that there is none. */
    const life = (reached: Reached, before: Effect.Effect<void>) =>
      Effect.gen(function*() {
        yield* before
        const connection = yield* connect(reached.server, options)
        reached.opened = connection
        yield* Deferred.succeed(reached.connection, connection)
        yield* connection.closed
      }).pipe(
        Effect.scoped,
        Effect.onError((cause) => Deferred.failCause(reached.connection, cause)),
        Effect.ensuring(Deferred.succeed(reached.ended, undefined)),
        Effect.catchAllCause(() => Effect.sleep(failurePause)),
        Effect.ensuring(Effect.sync(() => {
          if (known.get(reached.server.name) === reached) known.delete(reached.server.name)
        }))
      )

    const begin = (server: ToolServer, before: Effect.Effect<void>) =>
      Effect.suspend(() => {
        const connection = Deferred.unsafeMake<Connection, ConnectFailed>(FiberId.none)
        const ended = Deferred.unsafeMake<void>(FiberId.none)
        const reached: Reached = { server, connection, ended, opened: null }
        known.set(server.name, reached)
        return Effect.as(Effect.forkIn(Effect.interruptible(life(reached, before)), own), reached)
      })

    const reach = (server: ToolServer) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const last = known.get(server.name)
          const isOf = last !== undefined && (last.opened === null ? last.server === server : !last.opened.isClosed())
          if (isOf) return Effect.succeed(last)
          // What it was connected to before may hold what the next one needs.
          return begin(server, last === undefined || last.opened === null ? Effect.void : Deferred.await(last.ended))
        }).pipe(Effect.flatMap(({ connection }) => restore(Deferred.await(connection))))
      ).pipe(
        Effect.mapError(({ reason }) => new CallFailed({ what: "refused", reason: `it can't be reached: ${reason}` }))
      )

    const call: Call = (tool, args) =>
      Effect.gen(function*() {
        const server = serverOf(tool.server)
        if (server === null) return yield* new CallFailed({ what: "refused", reason: "it is not configured any more" })
        const begun = yield* Clock.currentTimeMillis
        const connection = yield* Effect.timeoutFail(reach(server), {
          duration: options.callLimit,
          onTimeout: () => new CallFailed({ what: "refused", reason: notReached(options.callLimit) })
        })
        // The connection has used up a part of what the step leaves.
        const callLimit = Duration.subtract(options.callLimit, (yield* Clock.currentTimeMillis) - begun)
        return yield* withTimeout(
          server,
          { ...options, callLimit },
          (timeout) => connection.call(tool.name, args, timeout)
        )
      })
    return { call }
  })
