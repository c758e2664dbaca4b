import { Deferred, Duration, Effect, ExecutionStrategy, FiberId, Scope } from "effect"
import { connect, type Connection, type ConnectionOptions } from "./Connection.ts"
import type { ConnectionFailed } from "./McpTransport.ts"
import { CallFailed, callOver, type CallTimeouts, type CallTool } from "./ServerCall.ts"
import type { TokenSource } from "./TokenSource.ts"
import type { ToolServer } from "./ToolServer.ts"

export interface ToolSession {
  readonly call: CallTool
}

export interface SessionOptions extends Omit<ConnectionOptions, "tokens">, CallTimeouts {
  readonly tokensOf?: (server: ToolServer) => TokenSource | undefined
}

interface Attempt {
  readonly tokens: TokenSource | undefined
  readonly server: ToolServer
  readonly connection: Deferred.Deferred<Connection, ConnectionFailed>
  opened: Connection | null
  /** Its scope has ended. */
  readonly ended: Deferred.Deferred<void>
}

/** After a failure calls fail at once for this long, instead of waiting for the server again. */
const failurePause = Duration.seconds(10)

/**
 * A session with connections of its own: the first call to a server opens one, or starts the process; the next call
 * replaces a lost one. Calls that wait for the same connection share one attempt and, for some seconds, its failure.
 */
export const openSession = (
  serverOf: (name: string) => ToolServer | null,
  options: SessionOptions
): Effect.Effect<ToolSession, never, Scope.Scope> =>
  Effect.gen(function*() {
    const own = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const known = new Map<string, Attempt>()

    /** Lasts as long as the connection, or until a failed one may be retried. */
    const run = (attempt: Attempt, before: Effect.Effect<void>) =>
      Effect.gen(function*() {
        yield* before
        const connection = yield* connect(attempt.server, { ...options, tokens: attempt.tokens })
        attempt.opened = connection
        yield* Deferred.succeed(attempt.connection, connection)
        yield* connection.closed
      }).pipe(
        Effect.scoped,
        Effect.onError((cause) => Deferred.failCause(attempt.connection, cause)),
        Effect.ensuring(Deferred.succeed(attempt.ended, undefined)),
        Effect.catchAllCause(() => attempt.tokens?.needsSignIn() === true ? Effect.void : Effect.sleep(failurePause)),
        Effect.ensuring(Effect.sync(() => {
          if (known.get(attempt.server.name) === attempt) known.delete(attempt.server.name)
        }))
      )

    const begin = (server: ToolServer, before: Effect.Effect<void>) =>
      Effect.suspend(() => {
        const connection = Deferred.unsafeMake<Connection, ConnectionFailed>(FiberId.none)
        const ended = Deferred.unsafeMake<void>(FiberId.none)
        const attempt: Attempt = { tokens: options.tokensOf?.(server), server, connection, ended, opened: null }
        known.set(server.name, attempt)
        return Effect.as(Effect.forkIn(Effect.interruptible(run(attempt, before)), own), attempt)
      })

    const reach = (server: ToolServer) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const last = known.get(server.name)
          // One that is configured anew is another server.
          if (last?.server === server && last.opened?.isClosed() !== true) return Effect.succeed(last)
          // A session that is forgotten ends by itself, when all calls over it have been told.
          if (last !== undefined && last.server !== server) last.opened?.close("it was configured anew")
          // The last connection may still use what the next one needs.
          return begin(server, last === undefined || last.opened === null ? Effect.void : Deferred.await(last.ended))
        }).pipe(Effect.flatMap(({ connection, tokens }) =>
          Effect.mapError(restore(Deferred.await(connection)), ({ reason }) =>
            tokens?.needsSignIn() === true
              ? new CallFailed({ what: "unauthorized", reason })
              : new CallFailed({ what: "refused", reason: `it can't be reached: ${reason}` }))
        ))
      )

    const call: CallTool = (tool, args, onProgress, asking) =>
      Effect.suspend(() => {
        const server = serverOf(tool.server)
        return server === null
          ? new CallFailed({ what: "refused", reason: "it is not configured any more" })
          : callOver(
            server,
            options,
            reach(server),
            (connection, timeout) => connection.call(tool.name, args, timeout, onProgress, asking)
          )
      })
    return { call }
  })
