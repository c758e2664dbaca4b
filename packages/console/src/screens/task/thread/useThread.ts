import { useInfiniteQuery, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import type { Task, TaskStep } from "@troupe/client"
import { useCallback, useMemo, useState } from "react"
import { toggled } from "../../../parts/Toggled.ts"
import { chainQuery } from "../../../service/ChainQueries.ts"
import { sentMessages } from "../../../service/Sent.ts"
import { loadOlderSteps, stepsQuery, subtasksQuery, subtaskStepsQuery } from "../../../service/StepQueries.ts"
import { taskQuery } from "../../../service/TaskQueries.ts"
import { isFinished } from "../TaskState.ts"
import { makeThread } from "./Thread.ts"
import type { Part } from "./ThreadItem.ts"

const noLinks = { before: [], after: [], others: new Map<string, ReadonlyArray<Task>>() }

const dataOf = <A>(results: ReadonlyArray<UseQueryResult<A>>) => results.flatMap(({ data }) => data ?? [])

/** The thread of a task: the conversation that it belongs to, with the work of those tasks that are unfolded. */
export const useThread = (task: Task) => {
  const cache = useQueryClient()
  const query = useInfiniteQuery(stepsQuery(task.id))
  const steps = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const chain = useQuery({
    ...chainQuery(task),
    // Who sends a follow-up goes on reading: the conversation is there before it is loaded again.
    placeholderData: () => {
      const earlier = task.continued_from
      const known = earlier === null
        ? undefined
        : cache.getQueryData(chainQuery({ id: earlier, continued_from: null }).queryKey)
      return earlier === null ? undefined : { ...noLinks, before: [...known?.before ?? [], earlier] }
    }
  }).data ?? noLinks
  const others = useQueries({ queries: [...chain.before, ...chain.after].map(taskQuery), combine: dataOf })
  const last = others.find(({ id }) => id === chain.after.at(-1)) ?? task
  const [chosen, setChosen] = useState<ReadonlyArray<string>>([])
  // What goes on at the end of the conversation is shown.
  const open = useMemo(
    () => last.id !== task.id && !isFinished(last) ? [...chosen, last.id] : chosen,
    [chosen, last, task.id]
  )
  const combine = useCallback((results: ReadonlyArray<UseQueryResult<ReadonlyArray<TaskStep>>>) => ({
    steps: new Map(
      results.flatMap(({ data }, index) => data === undefined ? [] : [[open[index] ?? "", data] as const])
    ),
    failed: results.find(({ error }) => error !== null)
  }), [open])
  const unfolded = useQueries({ queries: open.map(subtaskStepsQuery), combine })
  const parents = [[task.id, steps] as const, ...unfolded.steps]
    .filter(([, steps]) => steps.some(({ subtasks }) => subtasks.length > 0))
  const subtasks = useQueries({ queries: parents.map(([id]) => subtasksQuery(id)), combine: dataOf })
  const sent = sentMessages.use()
  const items = useMemo(() => {
    const byId = new Map(others.map((other) => [other.id, other]))
    const partOf = (id: string): ReadonlyArray<Part> => {
      const other = byId.get(id)
      return other === undefined ? [] : [{ task: other, steps: unfolded.steps.get(id) }]
    }
    return makeThread({
      parts: [
        ...chain.before.flatMap(partOf),
        { task, steps },
        ...chain.after.flatMap(partOf)
      ],
      subtasks: new Map(subtasks.flat().map((subtask) => [subtask.id, subtask])),
      unfolded: unfolded.steps,
      sent,
      others: chain.others
    })
  }, [chain, others, sent, steps, subtasks, task, unfolded.steps])
  return {
    items,
    /** The task at the end of the conversation, for which a person writes. */
    last,
    newest: (last.id === task.id ? steps : unfolded.steps.get(last.id) ?? [])[0]?.seq,
    isLoaded: query.data !== undefined,
    error: query.error ?? unfolded.failed?.error ?? null,
    retry: () => Promise.all([query.refetch(), unfolded.failed?.refetch()]),
    loadOlder: () => loadOlderSteps(cache, task.id),
    /** Folds the work of a task or unfolds it. */
    toggle: useCallback(
      (id: string) => setChosen((now) => toggled(now, id, !now.includes(id))),
      []
    )
  }
}
