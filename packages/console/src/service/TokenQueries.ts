import { queryOptions } from "@tanstack/react-query"
import type { AccessTokenRequest } from "@troupe/client"
import { useChange } from "./Change.ts"
import { service } from "./Service.ts"

/** The tokens of the one who works here. */
export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async () => (await service.tokens.list({ limit: 1_000 })).items
})

export const useCreateToken = () =>
  useChange(["tokens"], (request: AccessTokenRequest) => service.tokens.create(request))
export const useRevokeToken = () => useChange(["tokens"], (id: string) => service.tokens.remove(id))
