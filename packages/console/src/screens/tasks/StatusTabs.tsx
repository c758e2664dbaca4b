import { useQuery } from "@tanstack/react-query"
import type { TaskStatus } from "@troupe/client"
import { useSelectedTab } from "../../parts/SelectedTab.ts"
import { statusNames } from "../../parts/StatusBadge.tsx"
import { listTabLook } from "../../parts/TabLook.ts"
import { countsQuery, type TaskFilter } from "../../service/TaskQueries.ts"

const statuses = ["waiting_input", "running", "waiting_subagents", "pending", "failed", "completed"] as const

/** One tab a state of tasks. */
export const StatusTabs = ({ filter, onChange }: {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
}) => {
  const { status: current, ...others } = filter
  const counts = useQuery(countsQuery(filter)).data
  const tab = (name: string, status: TaskStatus | undefined) => (
    <button
      key={name}
      type="button"
      aria-pressed={current === status}
      className={listTabLook}
      onClick={() => onChange(status === undefined ? others : { ...others, status })}
    >
      {name}
      {status !== undefined && counts !== undefined && (
        <span className="ml-1.5 text-xs text-muted tabular-nums">
          {`${counts[status]}${counts.capped.includes(status) ? "+" : ""}`}
        </span>
      )}
    </button>
  )
  return (
    <div
      ref={useSelectedTab(`${current} ${counts === undefined}`)}
      role="group"
      aria-label="State"
      className="flex shrink-0 overflow-x-auto overflow-y-hidden border-b bg-surface px-2"
    >
      {tab("All", undefined)}
      {statuses.map((status) => tab(statusNames[status], status))}
    </div>
  )
}
