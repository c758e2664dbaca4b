import { queryOptions, useMutation } from "@tanstack/react-query"
import type { PolicyChange, PolicyTest } from "@troupe/client"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

/** The rules as they are saved. */
export const policyQuery = queryOptions({
  queryKey: ["policy", "rules"],
  queryFn: () => service.policy.find(),
  staleTime: 0
})

/** Every tool with its class. */
export const policyToolsQuery = queryOptions({
  queryKey: ["policy", "tools"],
  queryFn: () => service.policy.tools(),
  staleTime: 0
})

export const policyRevisionsQuery = pagedQuery(
  ["policy", "revisions"],
  (page) => service.policy.revisions(page)
)

export const useSavePolicy = () => useChange(["policy"], (change: PolicyChange) => service.policy.update(change))

export const useTestPolicy = () => useMutation({ mutationFn: (test: PolicyTest) => service.policy.test(test) })
