import { queryOptions } from "@tanstack/react-query"
import type { SpendingLimits } from "@troupe/client"
import { useChange } from "./Change.ts"
import { service } from "./Service.ts"

export const limitsQuery = queryOptions({
  queryKey: ["limits"],
  queryFn: () => service.limits.find(),
  staleTime: 0
})

export const useSaveLimits = () => useChange(["limits"], (limits: SpendingLimits) => service.limits.update(limits))
