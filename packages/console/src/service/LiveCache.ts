import type { InfiniteData, QueryClient } from "@tanstack/react-query"
import type { AnyTaskEvent, Page, Task, TaskStatus } from "@troupe/client"
import { loadNewSteps } from "./StepQueries.ts"

/** Runs at once, and then at most once in this time. */
const throttled = (millis: number, run: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false
  const begin = () => {
    run()
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) {
        isDue = false
        begin()
      }
    }, millis)
  }
  return () => {
    if (timer === undefined) begin()
    else isDue = true
  }
}

const withStatus = (id: string, status: TaskStatus) => (data: InfiniteData<Page<Task>> | undefined) =>
  data === undefined ? undefined : {
    ...data,
    pages: data.pages.map((page) =>
      page.items.some((task) => task.id === id && task.status !== status)
        ? { ...page, items: page.items.map((task) => task.id === id ? { ...task, status } : task) }
        : page
    )
  }

/** Keeps the caches of queries current by the events of all tasks; nothing polls. */
export const makeLiveCache = (cache: QueryClient) => {
  const lists = throttled(1_000, () => {
    void cache.invalidateQueries({ queryKey: ["tasks"] })
    // A webhook or a schedule made the task, or a message tells of it.
    for (const key of ["notifications", "webhooks", "schedules", "outbox", "subscriptions"]) {
      void cache.invalidateQueries({ queryKey: [key] })
    }
  })
  const changed = new Set<string>()
  const tasks = throttled(700, () => {
    for (const id of changed) {
      void cache.invalidateQueries({ queryKey: ["task", id] })
      loadNewSteps(cache, id).catch(() => undefined)
    }
    changed.clear()
  })
  return {
    apply: (event: AnyTaskEvent): void => {
      if (event._tag === "position") return
      if (event._tag === "status") {
        cache.setQueriesData({ queryKey: ["tasks"] }, withStatus(event.task_id, event.status))
        lists()
      }
      if (cache.getQueryState(["task", event.task_id]) === undefined) return
      changed.add(event.task_id)
      tasks()
    },
    reload: (): void => void cache.invalidateQueries()
  }
}
