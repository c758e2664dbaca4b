import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query"
import type { Page, TaskStep } from "@troupe/client"
import { allPages } from "./Paged.ts"
import { service } from "./Service.ts"

const key = (taskId: string) => ["steps", taskId]

/** The steps of a task, newest first; the next page has older ones. */
export const stepsQuery = (taskId: string) =>
  infiniteQueryOptions({
    queryKey: key(taskId),
    queryFn: ({ pageParam }) =>
      service.taskSteps.list(taskId, { limit: 200, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    // Events bring the new steps; those that are there never change.
    staleTime: Infinity
  })

/** One step with its whole texts. */
export const stepQuery = (taskId: string, seq: number) =>
  queryOptions({
    queryKey: ["step", taskId, seq],
    queryFn: () => service.taskSteps.find(taskId, String(seq)),
    staleTime: Infinity
  })

/** What the model saw at a step. */
export const contextQuery = (taskId: string, seq: number) =>
  queryOptions({
    queryKey: ["stepContext", taskId, seq],
    queryFn: () => service.taskSteps.context(taskId, String(seq)),
    staleTime: Infinity
  })

/** All subtasks that a task dispatched. */
export const subtasksQuery = (taskId: string) =>
  queryOptions({
    queryKey: ["tasks", "subtasks", taskId],
    queryFn: () => allPages(1_000, (page) => service.tasks.subtasks(taskId, page))
  })

/** The newest steps of a subtask that is unfolded in its parent. */
export const subtaskStepsQuery = (taskId: string) =>
  queryOptions({
    queryKey: ["subtaskSteps", taskId],
    queryFn: async () => (await service.taskSteps.list(taskId, { limit: 1000 })).items
  })

/** The oldest messages of a conversation, which a summary replaced in what is sent to the model. */
export const replacedQuery = (taskId: string, count: number) =>
  queryOptions({
    queryKey: ["replaced", taskId, count],
    queryFn: async () => (await service.tasks.messages(taskId, { full: true })).slice(0, count),
    staleTime: Infinity
  })

type Steps = InfiniteData<Page<TaskStep>, string>

/** Adds the older steps down to one that an address names: what is between is there, too, so that the list has no gap. */
export const loadStepsTo = async (cache: QueryClient, taskId: string, seq: number): Promise<void> => {
  for (;;) {
    const { pages } = cache.getQueryData<Steps>(key(taskId)) ?? { pages: [] }
    const oldest = pages.at(-1)?.items.at(-1)?.seq ?? 0
    const cursor = pages.at(-1)?.next ?? null
    if (cursor === null || oldest <= seq) return
    const limit = Math.min(oldest - seq + 50, 1000)
    const page: Page<TaskStep> = await service.taskSteps.list(taskId, { cursor, limit })
    cache.setQueryData<Steps>(key(taskId), (data) =>
      data?.pages.at(-1)?.next === cursor
        ? { pages: [...data.pages, page], pageParams: [...data.pageParams, cursor] }
        : data)
  }
}

/** Adds the steps that were made since the newest one of the cache. */
export const loadNewSteps = async (cache: QueryClient, taskId: string): Promise<void> => {
  const newest = (data: Steps | undefined) => data?.pages[0]?.items[0]?.seq
  const before = newest(cache.getQueryData<Steps>(key(taskId)))
  if (before === undefined) return cache.invalidateQueries({ queryKey: key(taskId) })
  const { items, next } = await service.taskSteps.list(taskId, { after: before, limit: 1000 })
  if (next !== null) return cache.resetQueries({ queryKey: key(taskId) })
  cache.setQueryData<Steps>(key(taskId), (data) => {
    const [first, ...others] = data?.pages ?? []
    if (data === undefined || first === undefined || newest(data) !== before) return data
    return { ...data, pages: [{ ...first, items: [...items, ...first.items] }, ...others] }
  })
}

/** Adds the next older steps, more of them than a list that loads as one scrolls. */
export const loadOlderSteps = (cache: QueryClient, taskId: string): Promise<void> => {
  const { pages } = cache.getQueryData<Steps>(key(taskId)) ?? { pages: [] }
  return loadStepsTo(cache, taskId, Math.max((pages.at(-1)?.items.at(-1)?.seq ?? 0) - 900, 1))
}
