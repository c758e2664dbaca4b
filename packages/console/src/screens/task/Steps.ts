import { useInfiniteQuery, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import type { Task, TaskStep } from "@troupe/client"
import { useCallback, useEffect, useMemo, useState } from "react"
import { useClock } from "../../parts/Time.tsx"
import { toggled } from "../../parts/Toggled.ts"
import { loadStepsTo, stepsQuery, subtasksQuery, subtaskStepsQuery } from "../../service/StepQueries.ts"
import { isFinished } from "./TaskState.ts"
import { makeTimeline, type StepAddress } from "./Timeline.ts"

/** Loads the pages down to a step that the address names; whether it is at it. */
const useStepLoaded = (task: Task, seq: number | undefined, oldest: number | undefined): boolean => {
  const cache = useQueryClient()
  const isMissing = seq !== undefined && seq > 0 && oldest !== undefined && seq < oldest
  const [failedAt, setFailedAt] = useState<number>()
  useEffect(() => {
    // The list says what went wrong where one scrolls to its end.
    if (isMissing) loadStepsTo(cache, task.id, seq).catch(() => setFailedAt(seq))
  }, [cache, task.id, seq, isMissing])
  return isMissing && failedAt !== seq
}

/** The steps of the task with those of the subtasks that a person unfolds, as lines of the waterfall. */
export const useSteps = (task: Task, selected: StepAddress | undefined) => {
  const query = useInfiniteQuery(stepsQuery(task.id))
  const steps = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const isOwn = selected?.taskId === task.id
  const isSeeking = useStepLoaded(task, isOwn ? selected.seq : undefined, steps.at(-1)?.seq)
  const hasSubtasks = steps.some(({ subtasks }) => subtasks.length > 0)
  const subtasks = useQuery({ ...subtasksQuery(task.id), enabled: hasSubtasks })
  const [open, setOpen] = useState<ReadonlyArray<string>>(selected === undefined || isOwn ? [] : [selected.taskId])
  // Made once for the same subtasks: its result is then made anew only when their steps change.
  const combine = useCallback((results: ReadonlyArray<UseQueryResult<ReadonlyArray<TaskStep>>>) => ({
    steps: new Map(results.map(({ data }, index) => [open[index] ?? "", data ?? []] as const)),
    failed: results.find(({ error }) => error !== null)
  }), [open])
  const unfolded = useQueries({
    queries: open.map(subtaskStepsQuery),
    combine
  })
  const goesOn = !isFinished(task) && (hasSubtasks || task.waiting_for !== null)
  const now = useClock((clock) => goesOn ? clock : 0)
  const timeline = useMemo(
    () => makeTimeline({ task, steps, subtasks: subtasks.data ?? [], unfolded: unfolded.steps, now }),
    [task, steps, subtasks.data, unfolded.steps, now]
  )
  const toggle = useCallback(
    (id: string) => setOpen((before) => toggled(before, id, !before.includes(id))),
    []
  )
  /** What of the subtasks could not be loaded. */
  const failed = subtasks.error === null ? unfolded.failed : subtasks
  return { timeline, toggle, isOpen: (id: string) => open.includes(id), query, failed, isSeeking }
}
