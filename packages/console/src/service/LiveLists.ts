import type { InfiniteData, Query, QueryClient } from "@tanstack/react-query"
import type { Page, Task, TaskQuery } from "@troupe/client"
import { readAgain } from "./ReadAgain.ts"
import { service } from "./Service.ts"

type Tasks = InfiniteData<Page<Task>, string>

const isList = ({ queryKey: [, filter] }: Query): boolean => typeof filter === "object"

/** A page that has grown by more is too long to be read at once. */
const maxNew = 100
const maxLimit = 1_000

/** Where a task is in a list, or would be: lists are ordered by id, and the next page begins below `next`. */
const pageOf = ({ pages }: Tasks, id: string): number => pages.findIndex(({ next }) => next === null || id >= next)

/** Reads one page again within its old borders, so that no other page changes; false: more came than it can take. */
const reloadPage = async (cache: QueryClient, { queryKey }: Query, data: Tasks, index: number): Promise<boolean> => {
  const before = data.pages[index]
  const cursor = data.pageParams[index]
  if (before === undefined || cursor === undefined) return true
  const limit = before.items.length + maxNew
  if (limit > maxLimit) return false
  const filter = queryKey[1] as TaskQuery
  const found = await service.list({ ...filter, limit, ...(cursor === "" ? {} : { cursor }) })
  const { next } = before
  if (next !== null && found.next !== null && found.next > next) return false
  const page = next === null ? found : { items: found.items.filter(({ id }) => id >= next), next }
  cache.setQueryData<Tasks>(
    queryKey,
    (now) => now?.pages[index] === before ? { ...now, pages: now.pages.with(index, page) } : now
  )
  return true
}

const reload = async (cache: QueryClient, ids: ReadonlySet<string>): Promise<void> => {
  for (const query of cache.getQueryCache().findAll({ queryKey: ["tasks"], predicate: isList })) {
    const data = cache.getQueryData<Tasks>(query.queryKey)
    if (!query.isActive()) query.invalidate()
    else if (data === undefined) await readAgain(cache, { queryKey: query.queryKey, exact: true })
    if (!query.isActive() || data === undefined) continue
    for (const index of new Set([...ids].map((id) => pageOf(data, id)))) {
      const now = cache.getQueryData<Tasks>(query.queryKey) ?? data
      if (index >= 0 && !(await reloadPage(cache, query, now, index))) {
        await cache.resetQueries({ queryKey: query.queryKey, exact: true })
        break
      }
    }
  }
}

let last: Promise<void> = Promise.resolve()

/**
 * Reads the pages of the lists in view again that have these tasks, or now should: a list of which thousands of tasks
 * were loaded costs no more than a short one.
 * One call after the other: a page that another one has replaced meanwhile is not written.
 */
export const reloadTasks = (cache: QueryClient, ids: ReadonlySet<string>): Promise<void> => {
  const next = last.then(() => reload(cache, ids))
  last = next.catch(() => undefined)
  return next
}

/** What else follows from the tasks: counts, subtasks and searches. */
export const reloadTaskFigures = (cache: QueryClient): Promise<void> =>
  readAgain(cache, { queryKey: ["tasks"], predicate: (query) => !isList(query) })
