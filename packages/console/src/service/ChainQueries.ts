import { queryOptions } from "@tanstack/react-query"
import { type Task, TroupeError } from "@troupe/client"
import { service } from "./Service.ts"

/** Tasks of a conversation that are shown in either direction. */
const maxLinks = 20

interface Chain {
  /** Ids of the tasks that this one continues, the first one first. */
  readonly before: ReadonlyArray<string>
  /** Ids of those that continue it: of each, the newest continuation. */
  readonly after: ReadonlyArray<string>
}

/** A task that was deleted, or that this person may not see, ends the chain. */
const found = (id: string): Promise<Task | null> =>
  service.tasks.find(id, { logs: false }).catch((error: unknown) => {
    if (error instanceof TroupeError && (error.status === 404 || error.status === 403)) return null
    throw error
  })

/** The tasks of the same conversation. */
export const chainQuery = ({ continued_from, id }: Pick<Task, "continued_from" | "id">) =>
  queryOptions({
    queryKey: ["tasks", "chain", id],
    queryFn: async (): Promise<Chain> => {
      const before: Array<string> = []
      let earlier = continued_from
      while (earlier !== null && before.length < maxLinks) {
        const task = await found(earlier)
        if (task !== null) before.unshift(task.id)
        earlier = task?.continued_from ?? null
      }
      const after: Array<string> = []
      let last: string | undefined = id
      while (last !== undefined && after.length < maxLinks) {
        const { items } = await service.list({ continued_from: last, include_archived: true, limit: 1 })
        last = items[0]?.id
        if (last !== undefined) after.push(last)
      }
      return { before, after }
    }
  })
