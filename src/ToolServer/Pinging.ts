import { Duration, Effect } from "effect"
import type { Connection } from "./Connection.ts"

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
