import type { ToolServersReport } from "@troupe/api/ToolServersApi"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import type { Configuration, Report, StoredServer } from "./ToolServerRepo.ts"

/** Every live process has taken this configuration up, at least one has, and no server is on its way up any more. */
export const isSettled = (
  { servers, version }: Configuration,
  reports: ReadonlyArray<Report>,
  since: number
): boolean => {
  // Somebody else has configured since; that answer is not ours to wait for.
  if (version > since) return true
  if (servers.every(({ disabled }) => disabled) && reports.length === 0) return true
  return reports.length > 0 &&
    reports.every((report) => report.version >= since && report.servers.every(({ status }) => status !== "connecting"))
}

/** How the configured servers are, over all processes that run them: one that fails anywhere counts as failed. */
export const reportOf = ({ servers, version }: Configuration, reports: ReadonlyArray<Report>): ToolServersReport => {
  const current = reports.filter((report) => report.version === version)
  const states = servers.map((server) => stateOf(server, current))
  const count = (status: ToolServerState["status"]) => states.filter((state) => state.status === status).length
  return {
    total_servers: states.length,
    connected_servers: count("connected"),
    failed_servers: count("failed"),
    disabled_servers: count("disabled"),
    total_tools: states.reduce((sum, state) => sum + state.tool_count, 0),
    servers: states
  }
}

const stateOf = ({ disabled, name, transport }: StoredServer, reports: ReadonlyArray<Report>): ToolServerState => {
  const nothing = { name, transport, tool_count: 0, tools: [], tools_off: [], connected_at: null }
  if (disabled) return { ...nothing, status: "disabled", error: null }
  const said = reports.flatMap((report) => report.servers.filter((state) => state.name === name))
  const failed = said.filter(({ status }) => status === "failed")
  const [first] = failed
  if (first !== undefined) {
    return failed.length === said.length
      ? first
      : { ...first, error: `On ${failed.length} of ${said.length} workers: ${first.error ?? "it does not work"}` }
  }
  const unready = said.find(({ status }) => status !== "connected")
  if (unready !== undefined) return unready
  const [connected] = said
  if (connected !== undefined) {
    // A worker whose server was started earlier may not know the change yet.
    const off = new Map(said.flatMap(({ tools_off }) => tools_off.map((tool) => [tool.name, tool] as const)))
    return { ...connected, tools_off: [...off.values()] }
  }
  return {
    ...nothing,
    status: "connecting",
    error: reports.length === 0 ? "No worker has told of it yet. If none runs, start one: npm start -- worker." : null
  }
}
