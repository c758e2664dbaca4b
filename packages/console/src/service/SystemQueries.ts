import { queryOptions, useQuery } from "@tanstack/react-query"
import type { TaskHistory } from "@troupe/client"
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

export type Period = TaskHistory["period"]

export const historyQuery = (period: Period) =>
  queryOptions({ queryKey: ["system", "history", period], queryFn: () => service.system.history({ period }) })

export const settingsQuery = queryOptions({
  queryKey: ["system", "settings"],
  queryFn: async () => (await service.system.settings()).sections
})

export const storageQuery = queryOptions({ queryKey: ["system", "storage"], queryFn: () => service.system.storage() })

export const ignoredMailsQuery = queryOptions({
  queryKey: ["system", "ignored mails"],
  queryFn: () => service.mail.ignored()
})

export const versionQuery = queryOptions({ queryKey: ["system", "version"], queryFn: () => service.system.version() })

/** Whether a language model is connected; else the offline model answers. `undefined`: not known yet. */
export const useHasModel = (): boolean | undefined => useQuery(versionQuery).data?.features["language_model"]

export const machineQuery = queryOptions({ queryKey: ["system", "machine"], queryFn: () => service.system.info() })
