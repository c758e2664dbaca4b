import { queryOptions, useQuery } from "@tanstack/react-query"
import { gatewayNames } from "@troupe/client/DeliveryWay"
import { service } from "./Service.ts"
import { personName } from "./UserNames.ts"

/** The names of people by their addresses and chat accounts, and of channels by their ids. */
const recipientNamesQuery = queryOptions({
  queryKey: ["users", "recipients"],
  queryFn: async () => {
    const [users, channels] = await Promise.all([
      service.users.list({ limit: 1000 }),
      service.channels.list({ limit: 1000 })
    ])
    return new Map([
      ...channels.items.map(({ channel_id, name }) => [channel_id, `#${name}`] as const),
      ...users.items.flatMap((user) =>
        [
          user.email?.toLowerCase(),
          user.chat_user_id,
          ...gatewayNames.map((field) => user[field]),
          user.id
        ].flatMap((address) => address === null || address === undefined ? [] : [[address, personName(user)] as const])
      )
    ])
  },
  staleTime: 60_000
})

/** Who or what gets messages at an address: `null` where nobody is known by it. */
export const useRecipientName = (): (address: string) => string | null => {
  const names = useQuery(recipientNamesQuery).data
  return (address) =>
    names?.get(address) ?? names?.get(address.toLowerCase()) ?? names?.get(address.split(":")[0] ?? "") ?? null
}
