import { queryOptions, useQuery } from "@tanstack/react-query"
import { service } from "./Service.ts"

/** The names of projects that are channels of the team chat, by their ids. */
export const projectNamesQuery = queryOptions({
  queryKey: ["channels", "projects"],
  queryFn: async () => {
    const { items } = await service.channels.list({ limit: 1000 })
    return new Map(
      items.flatMap(({ name, project_id }) => project_id === null ? [] : [[project_id, `#${name}`] as const])
    )
  },
  staleTime: 60_000
})

/** What a project is called: a channel by its name, another one as the request named it. */
export const useProjectName = (): (id: string) => string => {
  const names = useQuery(projectNamesQuery).data
  return (id) => names?.get(id) ?? id
}
