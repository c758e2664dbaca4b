import { Effect, type Scope } from "effect"
import type { Connection, ConnectionFailed, ConnectionOptions } from "./Connection.ts"
import type { ToolServer } from "./ToolServer.ts"

/** Opens a connection until the scope ends. The MCP SDK (20 MB) is loaded once there is a server to connect to. */
export const connect = (
  server: ToolServer,
  options: ConnectionOptions
): Effect.Effect<Connection, ConnectionFailed, Scope.Scope> =>
  Effect.flatMap(Effect.promise(() => import("./McpClient.ts")), (client) => client.connect(server, options))
