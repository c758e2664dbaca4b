import { queryOptions, useMutation } from "@tanstack/react-query"
import type { BulkOperation, BulkRequest } from "@troupe/client"
import { service } from "./Service.ts"

/** The progress of an operation is polled: a slice in which no task is changed, and the end, are no events of a task. */
export const bulkQuery = (id: string) =>
  queryOptions({
    queryKey: ["bulk", id],
    queryFn: () => service.taskBulk.find(id),
    refetchInterval: ({ state }) => state.data?.finished_at === null ? 1_000 : false
  })

export const useBulk = () => useMutation({ mutationFn: (request: BulkRequest) => service.taskBulk.start(request) })

/** Starts the operation, and waits until all of its tasks have been looked at. */
export const runBulk = async (request: BulkRequest): Promise<BulkOperation> => {
  let operation = await service.taskBulk.start(request)
  while (operation.finished_at === null) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    operation = await service.taskBulk.find(operation.id)
  }
  return operation
}
