import type { TaskStatus } from "@troupe/client"
import { statusNames } from "../../parts/StatusBadge.tsx"
import type { TaskFilter } from "../../service/TaskQueries.ts"

const statuses = ["waiting_input", "running", "waiting_subagents", "pending", "failed", "completed"] as const

const tabLook = "-mb-px border-b-2 border-transparent px-2.5 py-2 whitespace-nowrap text-muted hover:text-text "
  + "aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-text"

/** One tab a state of tasks. */
export const StatusTabs = ({ filter, onChange }: {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
}) => {
  const { status: current, ...others } = filter
  const tab = (name: string, status: TaskStatus | undefined) => (
    <button
      key={name}
      type="button"
      aria-pressed={current === status}
      className={tabLook}
      onClick={() => onChange(status === undefined ? others : { ...others, status })}
    >
      {name}
    </button>
  )
  return (
    <div role="group" aria-label="State" className="flex shrink-0 overflow-x-auto border-b bg-surface px-2">
      {tab("All", undefined)}
      {statuses.map((status) => tab(statusNames[status], status))}
    </div>
  )
}
