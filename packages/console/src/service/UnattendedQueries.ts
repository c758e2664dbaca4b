import { queryOptions } from "@tanstack/react-query"
import { service } from "./Service.ts"

/** What works without anybody who looks; no event tells of it. */
export const unattendedQuery = queryOptions({
  queryKey: ["unattended"],
  queryFn: () => service.unattended.list(),
  refetchInterval: 60_000
})
