import { queryOptions } from "@tanstack/react-query"
import { service } from "./Service.ts"

export const healthQuery = queryOptions({
  queryKey: ["system", "health"],
  queryFn: () => service.system.health(),
  staleTime: 0
})

export const workersQuery = queryOptions({
  queryKey: ["system", "workers"],
  queryFn: () => service.tasks.workerHealth(),
  staleTime: 0
})

export const versionQuery = queryOptions({ queryKey: ["system", "version"], queryFn: () => service.system.version() })

export const machineQuery = queryOptions({ queryKey: ["system", "machine"], queryFn: () => service.system.info() })
