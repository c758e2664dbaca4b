import { queryOptions } from "@tanstack/react-query"
import type { MembershipChanges } from "@troupe/client"
import { useChange } from "./Change.ts"
import { pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

export const channelsQuery = pagedQuery(["channels"], (page) => service.channels.list(page))

export const channelQuery = (id: string) =>
  queryOptions({ queryKey: ["channel", id], queryFn: () => service.channels.find(id) })

export const channelMembersQuery = (id: string) =>
  pagedQuery(
    ["channel", id, "members"],
    async (page) => {
      const { items, next } = await service.channels.members(id, page)
      return { items: items.map((member) => ({ ...member, id: member.user_id })), next }
    }
  )

const keys = ["channels", "channel"]

/** Without an id: people, all channels and their members. */
export const useSync = () =>
  useChange(
    [...keys, "people"],
    (id: string | undefined) => id === undefined ? service.channels.syncAll() : service.channels.sync(id)
  )

export const useChangeMember = (channel: string) =>
  useChange(
    ["channel"],
    ({ changes, user }: { readonly user: string; readonly changes: MembershipChanges }) =>
      service.channels.changeMember(channel, user, changes)
  )
