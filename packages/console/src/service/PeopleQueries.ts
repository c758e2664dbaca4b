import { queryOptions } from "@tanstack/react-query"
import type { User, UserChanges } from "@troupe/client"
import { useChange } from "./Change.ts"
import { allPages, pagedQuery } from "./Paged.ts"
import { service } from "./Service.ts"

export const peopleQuery = pagedQuery(["people"], (page) => service.users.list(page))

/** One person; the interface has the list only. */
export const personQuery = (id: string) =>
  queryOptions({
    queryKey: ["person", id],
    queryFn: async (): Promise<User> => {
      const found = (await allPages(1_000, (page) => service.users.list(page))).find((user) => user.id === id)
      if (found === undefined) throw new Error(`There is no person with the id ${id}.`)
      return found
    }
  })

const days = 30
const dayMillis = 86_400_000

/** What the tasks of a person used in the last 30 days. */
export const usageQuery = (user: string) =>
  queryOptions({
    queryKey: ["usage", user],
    queryFn: () =>
      service.tasks.usage({ from: new Date(Date.now() - (days - 1) * dayMillis).toISOString().slice(0, 10) }, { user })
  })

const keys = ["people", "person", "session"]

export const useChangePerson = (id: string) =>
  useChange(keys, (changes: UserChanges) => service.users.change(id, changes))
/** Deletes all that the service stores of a person, of whom nothing is read again. */
export const useErasePerson = () =>
  useChange(["people", "session", "tasks"], (id: string) => service.personalData.erase(id))
export const useClearOverrides = () => useChange(keys, (id: string) => service.users.clearOverrides(id))
