import { type Duration, Effect, ExecutionStrategy, Exit, Scope } from "effect"
import { CallFailed, connect, type Connection, type ConnectionOptions } from "./Connection.ts"
import { type Call, timeoutOf } from "./SupervisedServer.ts"
import type { ToolServer } from "./ToolServer.ts"

/** Connections of one agent's own. */
export interface ToolSession {
  readonly call: Call
}

interface Opened {
  readonly connection: Connection
  readonly end: Effect.Effect<void>
}

/**
 * A session of its own with every server: the connection, or the process, is made with the first call to the server,
 * is nobody else's, and ends with the scope. One that was lost is made again by the next call.
 */
export const openSession = (
  serverOf: (name: string) => ToolServer | null,
  options: ConnectionOptions & { readonly callTimeout: Duration.Duration }
): Effect.Effect<ToolSession, never, Scope.Scope> =>
  Effect.gen(function*() {
    const own = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
    const opened = new Map<string, Opened>()
    const oneByOne = new Map<string, Effect.Semaphore>()

    const open = (server: ToolServer) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const scope = yield* Scope.fork(own, ExecutionStrategy.sequential)
          const end = Scope.close(scope, Exit.void)
          const connection = yield* restore(Scope.extend(connect(server, options), scope)).pipe(
            Effect.onError(() => end)
          )
          opened.set(server.name, { connection, end })
          return connection
        })
      )

    const reach = (server: ToolServer) =>
      Effect.gen(function*() {
        const known = opened.get(server.name)
        if (known !== undefined && !known.connection.isClosed()) return known.connection
        opened.delete(server.name)
        if (known !== undefined) yield* known.end
        return yield* Effect.mapError(
          open(server),
          ({ reason }) => new CallFailed({ what: "refused", reason: `it can't be reached: ${reason}` })
        )
      })

    const turn = (name: string): Effect.Semaphore => {
      const known = oneByOne.get(name) ?? Effect.unsafeMakeSemaphore(1)
      oneByOne.set(name, known)
      return known
    }

    const call: Call = (tool, args) =>
      Effect.gen(function*() {
        const server = serverOf(tool.server)
        if (server === null) return yield* new CallFailed({ what: "refused", reason: "it is not configured any more" })
        const connection = yield* turn(server.name).withPermits(1)(reach(server))
        return yield* connection.call(tool.name, args, timeoutOf(server, options.callTimeout))
      })
    return { call }
  })
