import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { cva } from "class-variance-authority"
import type { ReactNode } from "react"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { StatusBadge, statusNames } from "../../parts/StatusBadge.tsx"
import { absoluteTime, Time } from "../../parts/Time.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"
import { useNameOf } from "../../service/UserNames.ts"
import { WaitText } from "../task/WaitText.tsx"
import { columns, columnsLook } from "./Columns.ts"
import { dayOf, sourceNames } from "./Filters.ts"
import { useFilterText } from "./FilterText.ts"

const look = cva(
  "absolute inset-x-0 h-[37px] max-md:h-[57px] border-b bg-surface hover:bg-raised has-[a:focus-visible]:bg-raised",
  {
    variants: { isFocused: { true: "!bg-accent-soft", false: "" } }
  }
)

const titleLook = cva("max-w-full shrink-0 truncate font-medium before:absolute before:inset-0", {
  variants: { hasNote: { true: "md:max-w-[70%]", false: "" } }
})

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

/** What the state alone does not say: the question, the reason of the failure or of the wait. */
const note = ({ error, question, status, waiting_for: wait }: Task): ReactNode =>
  status === "waiting_input" ? question : status === "failed" ? error : wait === null ? null : <WaitText wait={wait} />

const sourceOf = ({ source, webhook_type }: Task): { readonly name: string; readonly filter: TaskFilter } =>
  webhook_type !== null
    ? { name: webhook_type, filter: { webhook_type } }
    : { name: sourceNames[source ?? "api"], filter: { source: source ?? "api" } }

export const TaskRow = ({ filter, index, isFocused, onFilter, task, top }: {
  readonly task: Task
  readonly index: number
  readonly top: number
  readonly isFocused: boolean
  readonly filter: TaskFilter
  readonly onFilter: (filter: TaskFilter) => void
}) => {
  const nameOf = useNameOf()
  const filterText = useFilterText()
  /** A value; choosing it shows only tasks with this value. */
  const filtering = (chosen: TaskFilter, children: ReactNode, value?: string) => (
    <button
      type="button"
      title={`Show only ${value ?? Object.entries(chosen).map(([key, one]) => filterText(key, one)).join(", ")}`}
      className="relative max-w-full truncate rounded-sm text-left hover:text-accent hover:underline"
      onClick={() => onFilter({ ...filter, ...chosen })}
    >
      {children}
    </button>
  )
  const source = sourceOf(task)
  const shown = note(task)
  const { cost, input_tokens, output_tokens } = task.usage.total
  const tokens = input_tokens + output_tokens
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)` }}
      className={`${columnsLook} ${look({ isFocused })}`}
    >
      <div role="cell" className="flex min-w-0 items-baseline gap-x-2 max-md:flex-col">
        <Link
          to="/tasks/$taskId"
          params={{ taskId: task.id }}
          className={titleLook({ hasNote: shown !== null })}
        >
          {task.title}
        </Link>
        <span className="flex w-full gap-2 text-muted max-md:text-xs md:contents">
          {shown !== null && <span className="min-w-0 truncate text-muted">{shown}</span>}
          <Time at={task.created_at} className="ml-auto shrink-0 md:hidden" />
        </span>
      </div>
      <div role="cell" className="flex items-center [&>button]:flex">
        {filtering(
          { status: task.status, ...(task.ended_by === "cancelled" ? { cancelled: true } : {}) },
          <>
            <StatusBadge task={task} className="max-md:hidden" />
            <StatusBadge task={task} isShort className="md:hidden" />
          </>,
          task.ended_by === "cancelled" ? "Cancelled" : statusNames[task.status]
        )}
      </div>
      <div role="cell" className={columns.source.look}>{filtering(source.filter, source.name)}</div>
      <div role="cell" className={columns.project.look}>
        {task.project_id !== null && filtering({ project_id: task.project_id }, task.project_id)}
      </div>
      <div role="cell" className={columns.creator.look}>
        {filtering({ creator: task.creator }, nameOf(task.creator))}
      </div>
      <div role="cell" className={columns.assignee.look}>
        {task.assignee !== null && filtering({ assignee: task.assignee }, nameOf(task.assignee))}
      </div>
      <div
        role="cell"
        className={`${columns.tokens.look} text-muted`}
        title={`${numberText(tokens)} tokens${cost === null ? "" : `, ${moneyText(cost)}`}, with all subtasks`}
      >
        {compact.format(tokens)}
        {cost !== null && <span className="max-2xl:hidden">{" "}· {moneyText(cost)}</span>}
      </div>
      <div role="cell" className={`${columns.created.look} text-muted`}>
        {filtering(
          dayOf(task.created_at),
          <Time at={task.created_at} />,
          `tasks of this day (${absoluteTime(task.created_at)})`
        )}
      </div>
    </div>
  )
}
