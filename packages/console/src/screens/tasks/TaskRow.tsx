import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { cva } from "class-variance-authority"
import type { ReactNode } from "react"
import { Badge } from "../../parts/Badge.tsx"
import { firstWords } from "../../parts/FirstWords.ts"
import { StatusBadge, statusNames } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { WaitText } from "../task/WaitText.tsx"
import { type ColumnName, rowLook } from "./Columns.ts"
import { useFilterText } from "./FilterText.ts"
import { withoutState } from "./StatusTabs.tsx"
import { TaskCells } from "./TaskCells.tsx"

const look = cva("absolute inset-x-0 h-[37px] border-b max-md:h-[57px] has-[a:focus-visible]:bg-raised", {
  variants: {
    isFocused: { true: "!bg-accent-soft", false: "" },
    isSelected: { true: "bg-accent-soft", false: "bg-surface hover:bg-raised" }
  }
})

const titleLook = cva("max-w-full shrink-0 truncate font-medium before:absolute before:inset-0", {
  variants: { hasNote: { true: "md:max-w-[70%]", false: "" } }
})

/** What the state alone does not say: the question, the reason of the failure or of the wait. */
const note = ({ error, question, status, waiting_for: wait }: Task): ReactNode =>
  status === "waiting_input"
    ? question && firstWords(question)
    : status === "failed"
    ? error
    : wait === null
    ? null
    : <WaitText wait={wait} />

const stateOf = ({ ended_by, status, waiting_for }: Task): { readonly name: string; readonly filter: TaskFilter } =>
  status === "failed"
    ? {
      name: ended_by === "cancelled" ? "Cancelled" : "Failed",
      filter: { status, cancelled: ended_by === "cancelled" }
    }
    : status === "running"
    ? {
      name: waiting_for?.reason === "timer" ? "Sleeping" : "Running",
      filter: { status, sleeping: waiting_for?.reason === "timer" }
    }
    : { name: statusNames[status], filter: { status } }

export const TaskRow = ({ filter, index, isFocused, isSelected, onFilter, onSelect, shown, task, template, top }: {
  readonly task: Task
  readonly index: number
  readonly top: number
  readonly shown: ReadonlyArray<ColumnName>
  readonly template: string
  readonly isFocused: boolean
  readonly isSelected: boolean
  readonly onSelect: (id: string, isRange: boolean) => void
  readonly filter: TaskFilter
  readonly onFilter: (filter: TaskFilter) => void
}) => {
  const filterText = useFilterText()
  const filtering = (chosen: TaskFilter, children: ReactNode, value?: string) => (
    <button
      type="button"
      title={`Show only ${value ?? Object.entries(chosen).map(([key, one]) => filterText(key, one)).join(", ")}`}
      className="relative max-w-full truncate rounded-sm text-left hover:text-accent hover:underline"
      onClick={() => onFilter({ ...("status" in chosen ? withoutState(filter) : filter), ...chosen })}
    >
      {children}
    </button>
  )
  const text = note(task)
  const state = stateOf(task)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
      className={`${rowLook} ${look({ isFocused, isSelected })}`}
    >
      <div role="cell" className="relative z-10 h-full">
        <label className="-ml-4 flex h-full items-center pl-4">
          <input
            type="checkbox"
            aria-label={`Select ${task.title}`}
            className="size-4 accent-accent-fill"
            checked={isSelected}
            // Of a change, the browser does not say whether shift was held.
            onChange={() => undefined}
            onClick={({ shiftKey }) => onSelect(task.id, shiftKey)}
          />
        </label>
      </div>
      <div role="cell" className="flex min-w-0 items-baseline gap-x-2 max-md:flex-col">
        <span className="flex max-w-full min-w-0 shrink-0 items-baseline gap-2 md:contents">
          <Link to="/tasks/$taskId" params={{ taskId: task.id }} className={titleLook({ hasNote: text !== null })}>
            {task.title}
          </Link>
          {task.archived_at !== null && <Badge>Archived</Badge>}
        </span>
        <span className="flex w-full gap-2 text-muted max-md:text-xs md:contents">
          {text !== null && <span className="min-w-0 truncate text-muted">{text}</span>}
          <Time at={task.created_at} className="ml-auto shrink-0 md:hidden" />
        </span>
      </div>
      <div
        role="cell"
        className="flex min-w-0 items-center [&>button]:flex max-md:-mr-1.5 max-md:[&>button]:p-1.5"
      >
        {filtering(
          state.filter,
          <>
            <StatusBadge task={task} isBrief className="max-md:hidden" />
            <StatusBadge task={task} isShort className="md:hidden" />
          </>,
          state.name
        )}
      </div>
      <TaskCells task={task} shown={shown} filtering={filtering} />
    </div>
  )
}
