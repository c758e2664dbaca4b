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
  /** The continuations of these tasks that are in other threads, by the id of the task that they continue. */
  readonly others: ReadonlyMap<string, ReadonlyArray<Task>>
}

/** Continuations of one task that are shown. */
const maxContinuations = 20

const continuationsOf = async (id: string): Promise<ReadonlyArray<Task>> =>
  (await service.list({ continued_from: id, include_archived: true, limit: maxContinuations })).items

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
      const others = new Map<string, ReadonlyArray<Task>>()
      const branch = (from: string, all: ReadonlyArray<Task>, taken: string | undefined) => {
        const left = all.filter((task) => task.id !== taken)
        if (left.length > 0) others.set(from, left)
      }
      const earliers = await Promise.all(before.map(continuationsOf))
      for (const [index, all] of earliers.entries()) branch(before[index] ?? "", all, before[index + 1] ?? id)
      const after: Array<string> = []
      let last: string | undefined = id
      while (last !== undefined && after.length < maxLinks) {
        const all = await continuationsOf(last)
        const [newest] = all
        branch(last, all, newest?.id)
        last = newest?.id
        if (last !== undefined) after.push(last)
      }
      return { before, after, others }
    }
  })
