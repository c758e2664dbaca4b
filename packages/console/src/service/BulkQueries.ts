import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query"
import type { BulkRequest } from "@troupe/client"
import { service } from "./Service.ts"

/** The progress of an operation, of which there are no events. */
export const bulkQuery = (id: string) =>
  queryOptions({
    queryKey: ["bulk", id],
    queryFn: () => service.taskBulk.find(id),
    refetchInterval: ({ state }) => state.data?.finished_at === null ? 1_000 : false
  })

export const useBulk = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (request: BulkRequest) => service.taskBulk.start(request),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["tasks"] })
  })
}
