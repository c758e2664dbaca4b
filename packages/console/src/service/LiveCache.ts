import type { QueryClient } from "@tanstack/react-query"
import type { AnyTaskEvent } from "@troupe/client"
import { reloadTaskFigures, reloadTasks } from "./LiveLists.ts"
import { readAgain } from "./ReadAgain.ts"
import { loadNewSteps } from "./StepQueries.ts"

/** Runs at once, and then at most once in this time, and never twice at a time; it gets what has changed since. */
const collected = (millis: number, run: (ids: ReadonlySet<string>) => Promise<unknown>) => {
  let changed = new Set<string>()
  let isBusy = false
  const work = async () => {
    isBusy = true
    while (changed.size > 0) {
      const ids = changed
      changed = new Set()
      const pause = new Promise((resolve) => setTimeout(resolve, millis))
      await Promise.all([pause, run(ids).catch(() => undefined)])
    }
    isBusy = false
  }
  return (id: string) => {
    changed.add(id)
    if (!isBusy) void work()
  }
}

/** A webhook or a schedule made the task, or a message tells of it. */
const related = ["webhooks", "schedules", "schedule", "outbox", "subscriptions", "subscription"]

/** What the work of tasks changes. A person appears with the first request. */
const worked = ["files", "memories", "people"]

/** Read as a whole, and needed less at once. */
const slow = ["failuresOfOthers", "users"]

/** Read whole each time, on every screen. */
const costly = ["notifications", "projectTasks"]

/** Keeps the caches of queries current by the events of all tasks; nothing polls. */
export const makeLiveCache = (cache: QueryClient) => {
  const lists = collected(1_000, (ids) => {
    for (const key of related) void readAgain(cache, { queryKey: [key] })
    // Waited for: figures that take longer than the pause would be asked for again and again, and never be there.
    return Promise.all([reloadTaskFigures(cache), reloadTasks(cache, ids)])
  })
  const works = collected(5_000, () => Promise.all(worked.map((key) => readAgain(cache, { queryKey: [key] }))))
  const inbox = collected(5_000, () => Promise.all(costly.map((key) => readAgain(cache, { queryKey: [key] }))))
  const others = collected(60_000, () => Promise.all(slow.map((key) => readAgain(cache, { queryKey: [key] }))))
  const steps = collected(700, (ids) =>
    Promise.all([...ids].map(async (id) => {
      void readAgain(cache, { queryKey: ["task", id] })
      void readAgain(cache, { queryKey: ["subtaskSteps", id] })
      await loadNewSteps(cache, id)
    })))
  const isShown = (key: string, id: string) => cache.getQueryState([key, id]) !== undefined
  return {
    apply: (event: AnyTaskEvent): void => {
      if (event._tag === "position") return
      const { task_id: id } = event
      if (event._tag !== "log") {
        lists(id)
        works(id)
        inbox(id)
        others(id)
      }
      if (isShown("task", id) || isShown("subtaskSteps", id)) steps(id)
    },
    reload: (): void => {
      // Steps that are there never change, and may be thousands.
      void readAgain(cache, {
        predicate: (query) => query.queryKey[0] !== "steps" || !query.isActive() || query.state.status === "error"
      })
      for (const { queryKey: [, id] } of cache.getQueryCache().findAll({ queryKey: ["steps"], type: "active" })) {
        if (typeof id === "string") loadNewSteps(cache, id).catch(() => undefined)
      }
    }
  }
}
