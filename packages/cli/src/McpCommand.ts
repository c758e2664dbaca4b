import * as Command from "@effect/cli/Command"
import { bridge } from "./McpBridge.ts"
import { connection, Service } from "./Service.ts"

/** `troupe mcp`. */
export const mcp = Command.make("mcp", { url: connection.url, token: connection.token }, () => bridge).pipe(
  Command.withDescription("Serves the tasks of the service to an MCP client on standard input and output"),
  Command.provide((given) => Service.layer(given))
)
