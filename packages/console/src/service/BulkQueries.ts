import { type QueryClient, QueryObserver, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query"
import type { BulkRequest } from "@troupe/client"
import { service } from "./Service.ts"

/** The progress of an operation, of which there are no events. */
export const bulkQuery = (id: string) =>
  queryOptions({
    queryKey: ["bulk", id],
    queryFn: () => service.taskBulk.find(id),
    refetchInterval: ({ state }) => state.data?.finished_at === null ? 1_000 : false
  })

/** Archiving a finished task is no event, so the lists are read again at the end, also if nobody looks at the progress. */
const reloadAtEnd = (cache: QueryClient, id: string): void => {
  const leave = new QueryObserver(cache, bulkQuery(id)).subscribe(({ data }) => {
    if (data === undefined || data.finished_at === null) return
    leave()
    void cache.invalidateQueries({ queryKey: ["tasks"] })
  })
}

export const useBulk = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (request: BulkRequest) => service.taskBulk.start(request),
    onSuccess: ({ id }) => reloadAtEnd(cache, id)
  })
}
