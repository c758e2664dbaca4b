import { Duration, Effect, type Scope, type Stream } from "effect"
import type { Watchdog } from "../Runtime/Process/Watchdog.ts"
import type { ConnectionFailed } from "./McpTransport.ts"
import type { Asking, CallFailed, OnProgress } from "./ServerCall.ts"
import type { ToolList } from "./ServerTool.ts"
import type { TokenSource } from "./TokenSource.ts"
import type { HostedRules, ToolServer } from "./ToolServer.ts"

export interface ConnectionOptions {
  readonly watchdog: Watchdog["Type"]
  /** Checked for each connection too: the servers may have been configured under other rules. */
  readonly rules: HostedRules
  readonly connectTimeout: Duration.Duration
  /** Left out where no request gets an access token. */
  readonly tokens?: TokenSource | undefined
}

/** An open connection to a tool server. Nothing that comes over it contains the server's secrets. */
export interface Connection {
  readonly list: Effect.Effect<ToolList, ConnectionFailed>
  /** Emits when the server announces that its list has changed; announcements that come together are one. */
  readonly listChanged: Stream.Stream<void>
  /** The raw result. A call that is interrupted or times out is cancelled on the server. */
  readonly call: (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    timeout: Duration.Duration,
    onProgress?: OnProgress,
    asking?: Asking
  ) => Effect.Effect<Readonly<Record<string, unknown>>, CallFailed>
  readonly ping: Effect.Effect<boolean>
  /** Why it closed, and in further lines what a program has written last. */
  readonly closed: Effect.Effect<string>
  readonly isClosed: () => boolean
  /** It is closed, because the server does not know the session any more. */
  readonly isForgotten: () => boolean
  readonly close: (reason: string) => void
}

/** Opens a connection until the scope ends. The protocol's client is loaded once there is a server to connect to. */
export const connect = (
  server: ToolServer,
  options: ConnectionOptions
): Effect.Effect<Connection, ConnectionFailed, Scope.Scope> =>
  Effect.flatMap(Effect.promise(() => import("./McpClient.ts")), (client) => client.connect(server, options))

const pingInterval = Duration.seconds(30)

/** Closes the connection to an idle server that does not respond to a ping, so that the server is restarted. */
export const closeIfHung = (connection: Connection, isIdle: () => boolean) =>
  Effect.suspend(() => (isIdle() && !connection.isClosed() ? connection.ping : Effect.succeed(true))).pipe(
    Effect.map((responds) => {
      if (!responds && isIdle()) connection.close("it stopped answering")
    })
  )

/** Closes a connection that hangs, sooner or later. */
export const pinging = (connection: Connection, isIdle: () => boolean) =>
  closeIfHung(connection, isIdle).pipe(Effect.delay(pingInterval), Effect.forever)
