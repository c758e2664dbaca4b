import { queryOptions } from "@tanstack/react-query"
import { service } from "./Service.ts"

/** The last calls of a tool that asked, as far as this person may see them. */
export const lastApprovalsQuery = (tool: string) =>
  queryOptions({
    queryKey: ["approvals", "last", tool],
    queryFn: async () => (await service.approvals.list({ tool, limit: 100 })).items
  })
