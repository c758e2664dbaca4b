import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query"
import type { MCPConfigRequest, MCPConfigResponse, ToolServerEntry, ToolTest } from "@troupe/client"
import { service } from "./Service.ts"

/** No event tells that a server has connected, so the state is read again while one is about to. */
export const toolServersQuery = queryOptions({
  queryKey: ["toolServers"],
  queryFn: () => service.toolServers.status(),
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.servers.some(({ status }) => status === "connecting") === true ? 2_000 : false
})

/** The tools of a server with their definitions. */
export const serverToolsQuery = (server: string) =>
  queryOptions({
    queryKey: ["serverTools", server],
    queryFn: async () => (await service.toolServers.tools(server)).tools,
    staleTime: 0
  })

/** The configuration, with a mask for each secret. */
export const configurationQuery = queryOptions({
  queryKey: ["toolServerConfiguration"],
  queryFn: () => service.toolServers.configuration(),
  staleTime: 0
})

const useConfiguration = <A>(change: (input: A) => Promise<MCPConfigResponse>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (report) => {
      cache.setQueryData(toolServersQuery.queryKey, report)
      for (const key of ["serverTools", "toolServerConfiguration"]) void cache.invalidateQueries({ queryKey: [key] })
    }
  })
}

export const useConfigure = () =>
  useConfiguration((configuration: MCPConfigRequest) => service.toolServers.configure(configuration))

interface ServerChange {
  readonly name: string
  /** Without one, the server is deleted. */
  readonly entry?: ToolServerEntry
}

/** The other servers stay as they are now, with their secrets. */
const changeServer = async ({ entry, name }: ServerChange): Promise<MCPConfigResponse> => {
  const { [name]: _, ...others } = (await service.toolServers.configuration()).mcpServers
  return service.toolServers.configure({ mcpServers: entry === undefined ? others : { ...others, [name]: entry } })
}

export const useSaveServer = () => useConfiguration(changeServer)
export const useDeleteServer = () => useConfiguration((name: string) => changeServer({ name }))

/** Accepts tools by the definitions that were shown. */
export const useAcceptTools = (server: string) =>
  useConfiguration((tools: Readonly<Record<string, string>>) => service.toolServers.accept(server, { tools }))

/** A real call of the tool. */
export const useTestTool = (server: string, tool: string) =>
  useMutation({ mutationFn: (test: ToolTest) => service.toolServers.test(server, tool, test) })

/** Leads the browser to the page on which the person signs in. */
export const useConnectServer = () =>
  useMutation({
    mutationFn: async (server: string) => (await service.toolServerSignIn.connect(server)).url,
    onSuccess: (page) => location.assign(page)
  })

export const useForgetConnection = () => {
  const cache = useQueryClient()
  const readAgain = () => cache.invalidateQueries({ queryKey: toolServersQuery.queryKey })
  return useMutation({
    mutationFn: (server: string) => service.toolServerSignIn.forget(server),
    onSuccess: () => {
      // The server is disconnected a moment later.
      setTimeout(() => void readAgain(), 2_000)
      return readAgain()
    }
  })
}

export const useStopAll = () => useConfiguration((nothing: undefined) => service.toolServers.clear(nothing))
