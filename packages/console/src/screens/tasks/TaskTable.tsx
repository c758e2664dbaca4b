import { useRouter } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import type { Task } from "@troupe/client"
import { useEffect, useState } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "../../parts/Keys.ts"
import { useListKeys } from "../../parts/ListKeys.ts"
import { useIsNarrow } from "../../parts/Media.ts"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { chosenColumns, columns, columnsWithin, rowLook, templateOf, useWidth, widthOf } from "./Columns.ts"
import type { Selection } from "./Selection.ts"
import { TaskRow } from "./TaskRow.tsx"

/** As `TaskRow` has them: in narrow windows, a row has two lines. */
const rowHeights = { one: 37, two: 57 } as const
const headHeight = 29

/** A list of any length: only the rows in view exist. */
export const TaskTable = ({ filter, hasMore, isLoadingMore, onFilter, onMore, selection, tasks }: {
  readonly tasks: ReadonlyArray<Task>
  readonly selection: Selection
  readonly filter: TaskFilter
  readonly onFilter: (filter: TaskFilter) => void
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onMore: () => void
}) => {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const isNarrow = useIsNarrow()
  const width = useWidth(scroller)
  const chosen = chosenColumns.use()
  const shownColumns = isNarrow ? [] : columnsWithin(chosen, width)
  const template = templateOf(shownColumns, isNarrow)
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller,
    estimateSize: () => isNarrow ? rowHeights.two : rowHeights.one,
    overscan: 12,
    // The heads stay above the rows.
    scrollPaddingStart: isNarrow ? 0 : headHeight
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
    elementOf: (index) => scroller?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"] a`),
    onOpen: ({ id }) => void router.navigate({ to: "/tasks/$taskId", params: { taskId: id } })
  })
  const { toggle, toggleAll } = selection
  useEffect(() =>
    tinykeys(window, {
      x: unlessTyping(() => {
        const task = tasks[focused]
        if (task !== undefined) toggle(task.id, false)
      })
    }), [focused, tasks, toggle])
  return (
    <div
      role="table"
      aria-label="Tasks"
      aria-rowcount={hasMore ? -1 : tasks.length + 1}
      className="h-full"
    >
      <div ref={setScroller} className="h-full overflow-auto">
        <div style={isNarrow ? undefined : { minWidth: widthOf(shownColumns) }}>
          <div role="rowgroup" className="sticky top-0 z-20 border-b bg-surface text-xs text-muted max-md:sr-only">
            <div
              role="row"
              aria-rowindex={1}
              className={`${rowLook} h-7`}
              style={{ gridTemplateColumns: template }}
            >
              <span role="columnheader" className="flex items-center">
                <input
                  type="checkbox"
                  aria-label="Select all tasks that are loaded"
                  className="size-4 accent-accent-fill"
                  checked={selection.tasks.length === tasks.length}
                  onChange={toggleAll}
                />
              </span>
              <span role="columnheader">Task</span>
              <span role="columnheader">State</span>
              {shownColumns.map((name) => (
                <span
                  key={name}
                  role="columnheader"
                  className={`truncate ${"isNumber" in columns[name] ? "text-right" : ""}`}
                >
                  {columns[name].name}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const task = tasks[index]
              return task === undefined ? null : (
                <TaskRow
                  key={task.id}
                  task={task}
                  index={index}
                  top={start}
                  shown={shownColumns}
                  template={template}
                  isFocused={focused === index}
                  isSelected={selection.has(task.id)}
                  onSelect={toggle}
                  filter={filter}
                  onFilter={onFilter}
                />
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}
