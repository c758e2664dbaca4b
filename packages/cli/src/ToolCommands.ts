import * as Command from "@effect/cli/Command"
import type { ToolServersReport } from "@troupe/api/ToolServersApi"
import { plural } from "@troupe/domain/Text"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import { Effect } from "effect"
import { connection } from "./Arguments.ts"
import { safeLine, type TextStyle } from "./Format.ts"
import { Screen } from "./Screen.ts"
import { call, forService } from "./Service.ts"

const styles: Readonly<Record<ToolServerState["status"], keyof TextStyle>> = {
  connected: "green",
  connecting: "yellow",
  disabled: "dim",
  failed: "red"
}

/** The tool servers with their tools. */
export const serverLines = ({ servers }: ToolServersReport, paint: TextStyle): string =>
  servers.map((server) =>
    [
      `${paint.bold(safeLine(server.name))}  ${paint[styles[server.status]](server.status)}  ${
        paint.dim(`${server.transport}, ${plural(server.tool_count, "tool")}`)
      }`,
      ...(server.error === null ? [] : server.error.split("\n").map((line) => `  ${paint.red(safeLine(line, 1000))}`)),
      ...server.warnings.map((warning) => `  ${paint.yellow(safeLine(warning, 1000))}`),
      ...server.tools.map((tool) => `  ${safeLine(server.name)}__${safeLine(tool)}`),
      ...server.tools_off.map((tool) =>
        paint.yellow(`  ${safeLine(tool.name)}: disabled, because its definition changed`)
      )
    ].join("\n") + "\n"
  ).join("")

/** `troupe tools`. */
export const tools = Command.make("tools", connection, ({ json }) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const report = yield* call(({ toolServers }) => toolServers.status({}))
    if (json) return yield* screen.json(report)
    yield* screen.write(serverLines(report, screen.paint))
    if (report.servers.length === 0) {
      yield* screen.note("No tool servers. Configure them by POST /api/mcp/configure or MCP_CONFIG_FILE.\n")
    }
  })).pipe(forService("Lists the tool servers and their tools"))
