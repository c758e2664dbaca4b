import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query"
import type { MCPConfigRequest, MCPConfigResponse } from "@troupe/client"
import { service } from "./Service.ts"

/** No event tells that a server has connected, so the state is read again while one is about to. */
export const toolServersQuery = queryOptions({
  queryKey: ["toolServers"],
  queryFn: () => service.toolServers.status(),
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.servers.some(({ status }) => status === "connecting") === true ? 2_000 : false
})

const useConfiguration = <A>(change: (input: A) => Promise<MCPConfigResponse>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (report) => cache.setQueryData(toolServersQuery.queryKey, report)
  })
}

export const useConfigure = () =>
  useConfiguration((configuration: MCPConfigRequest) => service.toolServers.configure(configuration))

export const useStopAll = () => useConfiguration(() => service.toolServers.clear())
