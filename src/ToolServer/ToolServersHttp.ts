import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"
import { ToolServerSettings } from "./ToolServerSettings.ts"
import { ToolTests } from "./ToolTests.ts"

const legacy = {
  status: "delegated" as const,
  message: "Tool servers are run by the workers. GET /api/mcp/status shows their state."
}

export const ToolServersHttp = HttpApiBuilder.group(
  TroupeApi,
  "toolServers",
  (handlers) =>
    Effect.gen(function*() {
      const { accept, clear, configuration, configure, status, toolsOf } = yield* ToolServerSettings
      const { test } = yield* ToolTests
      return handlers
        .handle("legacyStatus", () => Effect.succeed(legacy))
        .handle("status", () => status)
        .handle("tools", ({ path }) => Effect.map(toolsOf(path.server_name), (tools) => ({ tools })))
        .handle("test", ({ path, payload }) => test(path.server_name, path.tool_name, payload))
        .handle("accept", ({ path, payload }) => accept(path.server_name, payload.tools))
        .handle("configuration", () => configuration)
        .handle("configure", ({ payload }) => configure(payload))
        .handle("clear", () => clear)
    })
)
