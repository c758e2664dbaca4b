import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { ToolServerSettings } from "./ToolServerSettings.ts"

const legacy = {
  status: "delegated" as const,
  message: "Tool servers are run by the workers. GET /api/mcp/status shows their state."
}

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
