import { useQuery } from "@tanstack/react-query"
import type { TaskCounts } from "@troupe/client"
import { useSelectedTab } from "../../parts/SelectedTab.ts"
import { statusNames } from "../../parts/StatusBadge.tsx"
import { listTabLook } from "../../parts/TabLook.ts"
import { countsQuery, type TaskFilter } from "../../service/TaskQueries.ts"

interface Tab {
  readonly name: string
  readonly state: Pick<TaskFilter, "cancelled" | "sleeping" | "status">
  readonly count: (counts: TaskCounts) => number
}

const plain = (status: "completed" | "pending" | "waiting_input" | "waiting_subagents"): Tab => ({
  name: statusNames[status],
  state: { status },
  count: (counts) => counts[status]
})

const tabs: ReadonlyArray<Tab> = [
  plain("waiting_input"),
  {
    name: "Running",
    state: { status: "running", sleeping: false },
    count: ({ running, sleeping }) => running - sleeping
  },
  { name: "Sleeping", state: { status: "running", sleeping: true }, count: ({ sleeping }) => sleeping },
  plain("waiting_subagents"),
  plain("pending"),
  {
    name: "Failed",
    state: { status: "failed", cancelled: false },
    count: ({ cancelled, failed }) => failed - cancelled
  },
  { name: "Cancelled", state: { status: "failed", cancelled: true }, count: ({ cancelled }) => cancelled },
  { ...plain("completed"), name: "Completed or stopped" }
]

/** The filter without the state of tasks. */
export const withoutState = (filter: TaskFilter): Omit<TaskFilter, "cancelled" | "sleeping" | "status"> => {
  const { cancelled: _, sleeping: __, status: ___, ...others } = filter
  return others
}

/** One tab a state of tasks. */
export const StatusTabs = ({ filter, onChange }: {
  readonly filter: TaskFilter
  readonly onChange: (filter: TaskFilter) => void
}) => {
  const others = withoutState(filter)
  const counts = useQuery(countsQuery(others)).data
  const tab = (name: string, state: Tab["state"], text?: string) => (
    <button
      key={name}
      type="button"
      aria-pressed={state.status === filter.status && state.cancelled === filter.cancelled
        && state.sleeping === filter.sleeping}
      className={listTabLook}
      onClick={() => onChange({ ...others, ...state })}
    >
      {name}
      {text !== undefined && <span className="ml-1.5 text-xs text-muted tabular-nums">{text}</span>}
    </button>
  )
  return (
    <div
      ref={useSelectedTab(`${JSON.stringify(filter)} ${counts === undefined}`)}
      role="group"
      aria-label="State"
      className="flex shrink-0 overflow-x-auto overflow-y-hidden border-b bg-surface px-2"
    >
      {tab("All", {})}
      {tabs.map(({ count, name, state }) => {
        if (counts === undefined || state.status === undefined) return tab(name, state)
        const number = count(counts)
        const isCapped = counts.capped.includes(state.status)
        // Of a capped state, those that were counted may all be of the tab beside it.
        return tab(name, state, isCapped && number === 0 ? undefined : `${number}${isCapped ? "+" : ""}`)
      })}
    </div>
  )
}
