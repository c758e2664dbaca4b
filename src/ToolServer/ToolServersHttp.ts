import { HttpApiBuilder } from "@effect/platform"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { ToolServerSettings } from "./ToolServerSettings.ts"

const legacy = {
  status: "delegated" as const,
  message: "Tool servers are run by the workers. GET /api/mcp/status tells how they are."
}

/** The endpoints of the tool servers, each one a use-case of `ToolServerSettings`. */
export const ToolServersHttp = HttpApiBuilder.group(
  TroupeApi,
  "toolServers",
  (handlers) =>
    Effect.map(ToolServerSettings, ({ clear, configure, status }) =>
      handlers
        .handle("legacyStatus", () => Effect.succeed(legacy))
        .handle("status", () => status)
        .handle("configure", ({ payload }) => configure(payload))
        .handle("clear", () => clear))
)
