import { useRouter } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import type { Task } from "@troupe/client"
import { useEffect, useRef } from "react"
import { useListKeys } from "../../parts/ListKeys.ts"
import { useIsNarrow } from "../../parts/Media.ts"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { columns, columnsLook } from "./Columns.ts"
import { TaskRow } from "./TaskRow.tsx"

/** As `TaskRow` has them: in narrow windows, a row has two lines. */
const rowHeights = { one: 37, two: 57 } as const

/** A list of any length: only the rows in view exist. */
export const TaskTable = ({ filter, hasMore, isLoadingMore, onFilter, onMore, tasks }: {
  readonly tasks: ReadonlyArray<Task>
  readonly filter: TaskFilter
  readonly onFilter: (filter: TaskFilter) => void
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onMore: () => void
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => isNarrow ? rowHeights.two : rowHeights.one,
    overscan: 12
  })
  useEffect(() => rows.measure(), [rows, isNarrow])
  const shown = rows.getVirtualItems()
  const isAtEnd = (shown.at(-1)?.index ?? 0) >= tasks.length - 60
  useEffect(() => {
    if (isAtEnd && hasMore && !isLoadingMore) onMore()
  }, [isAtEnd, hasMore, isLoadingMore, onMore])
  const router = useRouter()
  const focused = useListKeys({
    entries: tasks,
    onMove: (index) => rows.scrollToIndex(index),
    elementOf: (index) => scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"] a`),
    onOpen: ({ id }) => void router.navigate({ to: "/tasks/$taskId", params: { taskId: id } })
  })
  return (
    <div
      role="table"
      aria-label="Tasks"
      aria-rowcount={hasMore ? -1 : tasks.length + 1}
      className="flex h-full flex-col"
    >
      <div role="rowgroup" className="border-b bg-surface text-xs text-muted max-md:sr-only">
        <div role="row" aria-rowindex={1} className={`${columnsLook} h-7`}>
          {Object.values(columns).map(({ look, name }) => (
            <span key={name} role="columnheader" className={look}>{name}</span>
          ))}
        </div>
      </div>
      <div ref={scroller} role="rowgroup" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto">
        <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const task = tasks[index]
            return task === undefined ? null : (
              <TaskRow
                key={task.id}
                task={task}
                index={index}
                top={start}
                isFocused={focused === index}
                filter={filter}
                onFilter={onFilter}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
