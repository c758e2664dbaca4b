import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { cva } from "class-variance-authority"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { cellLook, columnsLook } from "./Columns.ts"

const look = cva("absolute inset-x-0 h-[37px] border-b bg-surface hover:bg-raised has-[a:focus-visible]:bg-raised", {
  variants: { isFocused: { true: "!bg-accent-soft", false: "" } }
})

/** A value of a cell; choosing it shows only tasks with this value. */
const Filtering = ({ name, onChoose, value }: {
  readonly name: string
  readonly value: string
  readonly onChoose: () => void
}) => (
  <button
    type="button"
    title={`Show only tasks with ${name} ${value}`}
    className="relative max-w-full truncate rounded-sm text-left hover:text-accent hover:underline"
    onClick={onChoose}
  >
    {value}
  </button>
)

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

export const TaskRow = ({ filter, index, isFocused, onFilter, task, top }: {
  readonly task: Task
  readonly index: number
  readonly top: number
  readonly isFocused: boolean
  readonly filter: TaskFilter
  readonly onFilter: (filter: TaskFilter) => void
}) => (
  <div
    role="row"
    aria-rowindex={index + 1}
    style={{ transform: `translateY(${top}px)` }}
    className={`${columnsLook} ${look({ isFocused })}`}
  >
    <div role="cell" className="flex min-w-0 items-baseline gap-2">
      <Link
        to="/tasks/$taskId"
        params={{ taskId: task.id }}
        className="truncate font-medium before:absolute before:inset-0"
      >
        {task.title}
      </Link>
      {task.status === "waiting_input" && task.question !== null && (
        <span className="hidden min-w-0 shrink truncate text-muted sm:inline">{task.question}</span>
      )}
      {task.status === "failed" && task.error !== null && (
        <span className="hidden min-w-0 shrink truncate text-muted sm:inline">{task.error}</span>
      )}
    </div>
    <div role="cell" className="flex items-center">
      <StatusBadge status={task.status} className="max-md:hidden" />
      <StatusBadge status={task.status} isShort className="md:hidden" />
    </div>
    <div role="cell" className={cellLook[2]}>
      <Filtering name="creator" value={task.creator} onChoose={() => onFilter({ ...filter, creator: task.creator })} />
    </div>
    <div role="cell" className={cellLook[3]}>
      {task.assignee !== null && (
        <Filtering
          name="assignee"
          value={task.assignee}
          onChoose={() => onFilter({ ...filter, assignee: task.assignee ?? "" })}
        />
      )}
    </div>
    <div role="cell" className={`${cellLook[4]} text-muted`}>{compact.format(task.tokens_used)}</div>
    <div role="cell" className={`${cellLook[5]} text-muted`}>
      <Time at={task.created_at} />
    </div>
  </div>
)
