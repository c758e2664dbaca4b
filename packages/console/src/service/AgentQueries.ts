import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { AgentCreateRequest, AgentUpdateRequest, PreviewAgent } from "@troupe/client"
import { useChange } from "./Change.ts"
import { sendUnsent } from "./Leaving.ts"
import { allPages } from "./Paged.ts"
import { service } from "./Service.ts"

/** All agents; there are seldom more than some dozens. */
export const agentsQuery = queryOptions({
  queryKey: ["agents", "list"],
  queryFn: () => allPages(100, (page) => service.agents.list(page))
})

export const agentQuery = (name: string) =>
  queryOptions({ queryKey: ["agents", "one", name], queryFn: () => service.agents.find(name) })

/** The revisions that tasks used. */
export const agentUsesQuery = (name: string) =>
  queryOptions({
    queryKey: ["agents", "uses", name],
    queryFn: () => service.agents.revisions(name),
    // Tasks change it, and this screen leads to a new one.
    staleTime: 0
  })

/** What a task of this agent would work with. */
export const agentPreviewQuery = (agent: PreviewAgent) =>
  queryOptions({
    queryKey: ["agents", "preview", agent],
    queryFn: () => service.taskPreview.preview({ message: "A request", agent_draft: agent }),
    placeholderData: keepPreviousData,
    gcTime: 60_000
  })

const useAgentChange = <A, B>(change: (input: A) => Promise<B>) => useChange(["agents"], change)

export const useCreateAgent = () =>
  useAgentChange(async (draft: AgentCreateRequest) => {
    await sendUnsent()
    return service.agents.create(draft)
  })

export const useUpdateAgent = (name: string) =>
  useAgentChange(async (change: AgentUpdateRequest) => {
    await sendUnsent()
    return service.agents.update(name, change)
  })

export const useDeleteAgent = () => useAgentChange((name: string) => service.agents.remove(name))

export const useReloadAgents = () => useAgentChange(() => service.agents.reload())
