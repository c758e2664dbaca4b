import { queryOptions, useQuery } from "@tanstack/react-query"
import { service } from "./Service.ts"
import { sessionQuery } from "./SessionQueries.ts"

/** The names of people by their ids. */
export const userNamesQuery = queryOptions({
  queryKey: ["users", "names"],
  queryFn: async () =>
    new Map(
      (await service.users.list({ limit: 1000 })).items.map(({ display_name, email, id, name }) => [
        id,
        display_name ?? name ?? email ?? id
      ])
    ),
  staleTime: 60_000
})

/** How a person is called; `you` for the one who works here, and the id of somebody unknown. */
export const useUserName = (id: string | null): string | null => {
  const names = useQuery({ ...userNamesQuery, enabled: id !== null }).data
  const me = useQuery({ ...sessionQuery, enabled: id !== null }).data
  if (id === null) return null
  return id === me?.user.id ? "you" : names?.get(id) ?? id
}
