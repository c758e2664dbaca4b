import { queryOptions } from "@tanstack/react-query"
import type { TeamInviteRequest } from "@troupe/client"
import { useChange } from "./Change.ts"
import { service } from "./Service.ts"

export const teamQuery = queryOptions({ queryKey: ["team"], queryFn: () => service.team.info() })

export const useInvite = () => useChange(["team"], (request: TeamInviteRequest) => service.team.invite(request))
export const useChangeRole = () =>
  useChange(
    ["team", "people"],
    ({ id, role }: { readonly id: string; readonly role: "admin" | "member" }) => service.team.change(id, { role })
  )
export const useRemoveMember = () => useChange(["team", "people"], (id: string) => service.team.remove(id))
