import { SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client"
import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import { ConnectionFailed } from "./McpTransport.ts"
import type { ToolServer } from "./ToolServer.ts"

/** `auto`: the server is asked first which versions of the protocol it speaks; `legacy`: it speaks one before 2026-07-28. */
export type Mode = "auto" | "legacy"

/** How long a server may take to say it; a program that says nothing speaks an older version. */
export const probeMillis = 5_000

/** Programs that end when they are asked, as some of older versions do. */
const endsWhenAsked = new WeakSet<ToolServer>()

/** A failure of the first request of a session, and whether the server may speak an older version. */
export class NotOpened extends ConnectionFailed {
  readonly mayBeOlder: boolean
  constructor({ cause, reason }: { readonly reason: string; readonly cause: unknown }) {
    super({ reason })
    this.mayBeOlder = !isDenied(cause)
  }
}

const isDenied = (cause: unknown): boolean =>
  cause instanceof UnauthorizedError || cause instanceof SdkHttpError && [401, 403].includes(cause.status)

/**
 * Opens a session. A server over HTTP that can't be asked for its versions is tried as an older one at once; a program that
 * ends at the question, the next time it is started.
 */
export const negotiated = <A>(
  server: ToolServer,
  open: (mode: Mode) => Effect.Effect<A, ConnectionFailed, Scope.Scope>
): Effect.Effect<A, ConnectionFailed, Scope.Scope> => {
  if (server.transport === "sse") return open("legacy")
  if (server.transport === "http") {
    return Effect.catchAll(
      inScopeOfItsOwn(open("auto")),
      (failure) => failure instanceof NotOpened && !failure.mayBeOlder ? failure : open("legacy")
    )
  }
  return endsWhenAsked.has(server)
    ? Effect.tapError(open("legacy"), () => Effect.sync(() => endsWhenAsked.delete(server)))
    : Effect.tapError(open("auto"), () => Effect.sync(() => endsWhenAsked.add(server)))
}

/** A failure leaves nothing open. */
const inScopeOfItsOwn = <A, E>(open: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.flatMap(
    Effect.scope,
    (scope) =>
      Effect.flatMap(
        Scope.fork(scope, ExecutionStrategy.sequential),
        (own) => Effect.onError(Scope.extend(open, own), () => Scope.close(own, Exit.void))
      )
  )
