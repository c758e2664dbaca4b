import type { ToolServerTool } from "@troupe/domain/ToolServer"
import { boundNames, type ServerTool } from "./ServerTool.ts"

/** The last list of a server, and the digests of the definitions that were accepted. */
interface Pinned {
  readonly server: string
  readonly accepted: ReadonlyMap<string, string>
  readonly listed: ReadonlyArray<ServerTool>
}

export interface ListedTools {
  readonly server: string
  readonly tools: ReadonlyArray<ToolServerTool>
}

/** The tools of all servers together, because the names under which agents call them must differ. */
export const listedTools = (servers: ReadonlyArray<Pinned>): ReadonlyArray<ListedTools> => {
  const names = new Map(
    [...boundNames(servers.flatMap(({ listed }) => listed))].map(([bound, tool]) => [tool, bound] as const)
  )
  return servers.map(({ accepted, listed, server }) => ({
    server,
    tools: listed.map((tool) => ({
      name: tool.name,
      bound_name: names.get(tool) ?? tool.name,
      description: tool.description,
      input_schema: tool.parameters,
      is_read_only: tool.isReadOnly,
      state: stateOf(tool, accepted),
      digest: tool.digest
    }))
  }))
}

const stateOf = ({ digest, name }: ServerTool, accepted: ReadonlyMap<string, string>): ToolServerTool["state"] =>
  accepted.get(name) === digest ? "usable" : accepted.has(name) ? "changed" : "new"
