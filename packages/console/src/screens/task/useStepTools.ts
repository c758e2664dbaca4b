import { useQueryClient } from "@tanstack/react-query"
import type { Task } from "@troupe/client"
import { useCallback, useMemo, useState } from "react"
import { loadOlderSteps, loadStepsTo } from "../../service/StepQueries.ts"
import { hasFilter, shownLines, type StepFilter } from "./StepFilter.ts"
import type { StepOrder } from "./StepTools.tsx"
import type { Line, StepAddress } from "./Timeline.ts"

/** The lines as they are searched, filtered, ordered and grouped, with what the tools above them need. */
export const useStepTools = (task: Task, all: ReadonlyArray<Line>, selected: StepAddress | undefined) => {
  const cache = useQueryClient()
  const [filter, setFilter] = useState<StepFilter>({ words: "", kind: undefined })
  const [order, setOrder] = useState<StepOrder>({ isGrouped: true, isOldestFirst: false })
  // A loop grows at both ends, so that any of its steps stands for it.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const lines = useMemo(
    () =>
      shownLines(all, {
        filter,
        ...order,
        isOpen: ({ id, step, taskId }) => open.has(id) || (selected?.seq === step.seq && selected.taskId === taskId)
      }),
    [all, filter, open, order, selected?.seq, selected?.taskId]
  )
  const toggleLoop = useCallback(({ isOpen, lines }: Extract<Line, { _tag: "loop" }>) =>
    setOpen((now) => {
      const next = new Set(now)
      if (!isOpen) return next.add(lines[0])
      for (const id of lines) next.delete(id)
      return next
    }), [])
  return {
    lines,
    toggleLoop,
    isOldestFirst: order.isOldestFirst,
    /** Whether what is shown has to be found among steps that may not be loaded yet. */
    isMoreSought: hasFilter(filter),
    seek: () => void loadOlderSteps(cache, task.id).catch(() => undefined),
    tools: {
      filter,
      onFilter: setFilter,
      order,
      onOrder: (next: StepOrder) => {
        setOrder(next)
        // The oldest ones are loaded last.
        if (next.isOldestFirst) void loadStepsTo(cache, task.id, 1).catch(() => undefined)
      }
    }
  }
}
