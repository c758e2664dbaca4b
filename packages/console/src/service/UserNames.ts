import { queryOptions, useQuery } from "@tanstack/react-query"
import type { User } from "@troupe/client"
import { service } from "./Service.ts"
import { sessionQuery } from "./SessionQueries.ts"

/** The one user of a service without sign-in, whose name nobody has set. */
const localUser = "default"

/** How a person is called. One of whom nothing else is known has the id for a name. */
export const personName = (
  { display_name, email, id, is_system, name }: Pick<User, "display_name" | "email" | "id" | "is_system" | "name">
): string =>
  is_system ? "System" : display_name ?? (name === id ? null : name) ?? email ?? (id === localUser ? "Local user" : id)

/** The names of people by their ids. */
export const userNamesQuery = queryOptions({
  queryKey: ["users", "names"],
  queryFn: async ({ client }) => {
    const users = await service.users.list({ limit: 1000 })
    // A member gets no profiles of others, but the names of the team.
    const isMember = (await client.fetchQuery(sessionQuery)).role === "member"
    const team = isMember ? (await service.team.info()).members : []
    return new Map<string, string>([
      ...team.flatMap(({ email, name, user_id }) => user_id === null ? [] : [[user_id, name ?? email] as const]),
      ...users.items.map((user) => [user.id, personName(user)] as const)
    ])
  },
  staleTime: 60_000
})

/** How people are called: `You` for the one who works here, and the id of somebody unknown. */
export const useNameOf = (): (id: string) => string => {
  const names = useQuery(userNamesQuery).data
  const me = useQuery(sessionQuery).data
  return (id) => id === me?.user.id ? "You" : names?.get(id) ?? id
}

/** How a person is called; `you` for the one who works here, and the id of somebody unknown. */
export const useUserName = (id: string | null): string | null => {
  const names = useQuery({ ...userNamesQuery, enabled: id !== null }).data
  const me = useQuery({ ...sessionQuery, enabled: id !== null }).data
  if (id === null) return null
  return id === me?.user.id ? "you" : names?.get(id) ?? id
}
