import { Effect, type Scope } from "effect"
import type { Connection, ConnectionOptions } from "./Connection.ts"
import type { ConnectionFailed } from "./ConnectionFailed.ts"
import type { ToolServer } from "./ToolServer.ts"

/** `connect` of Connection.ts, which is loaded with the MCP SDK (20 MB) once there is a server to connect to. */
export const connect = (
  server: ToolServer,
  options: ConnectionOptions
): Effect.Effect<Connection, ConnectionFailed, Scope.Scope> =>
  Effect.flatMap(Effect.promise(() => import("./Connection.ts")), (loaded) => loaded.connect(server, options))
