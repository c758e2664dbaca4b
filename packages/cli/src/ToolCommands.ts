import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type { ToolServersReport } from "@troupe/api/ToolServersApi"
import { plural } from "@troupe/domain/Text"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import { Effect } from "effect"
import { connection } from "./Arguments.ts"
import { safeLine, type TextStyle } from "./Format.ts"
import { Screen } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

const styles: Readonly<Record<ToolServerState["status"], keyof TextStyle>> = {
  connected: "green",
  connecting: "yellow",
  disabled: "dim",
  needs_sign_in: "yellow",
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

const serverArgument = Args.text({ name: "server" }).pipe(Args.withDescription("Name of the tool server"))

const connect = Command.make(
  "connect",
  { ...connection, server: serverArgument },
  ({ json, server }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      const started = yield* call(({ toolServerSignIn }) =>
        toolServerSignIn.connect({ path: { server_name: segment(server) }, urlParams: {} })
      )
      if (json) return yield* screen.json(started)
      yield* screen.write(`${started.url}\n`)
      yield* screen.note("Open this page in a browser within ten minutes, where you are signed in at the console.\n")
    })
).pipe(forService("Begins a sign-in at a tool server, and prints the page to open"))

const forget = Command.make(
  "forget",
  { ...connection, server: serverArgument },
  ({ server }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      yield* call(({ toolServerSignIn }) => toolServerSignIn.forget({ path: { server_name: segment(server) } }))
      yield* screen.note(`The sign-in at ${safeLine(server)} is forgotten.\n`)
    })
).pipe(forService("Forgets the sign-in at a tool server"))

export const tools = Command.make("tools", connection, ({ json }) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const report = yield* call(({ toolServers }) => toolServers.status({}))
    if (json) return yield* screen.json(report)
    yield* screen.write(serverLines(report, screen.paint))
    if (report.servers.length === 0) {
      yield* screen.note("No tool servers. Configure them by POST /api/mcp/configure or MCP_CONFIG_FILE.\n")
    }
  })).pipe(forService("Lists the tool servers and their tools"), Command.withSubcommands([connect, forget]))
