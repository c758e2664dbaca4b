import type { TaskLogEntry } from "@troupe/client"
import { cva } from "class-variance-authority"
import {
  Bell,
  BookOpen,
  Bot,
  ChevronRight,
  CircleAlert,
  CircleDot,
  CornerDownRight,
  Gauge,
  GitFork,
  type LucideIcon,
  Shrink,
  Wrench
} from "lucide-react"
import { JsonView } from "../../parts/JsonView.tsx"
import { Time } from "../../parts/Time.tsx"

const icons: Readonly<Record<TaskLogEntry["event"], LucideIcon>> = {
  status: CircleDot,
  model: Bot,
  tool_call: Wrench,
  tool_result: CornerDownRight,
  compaction: Shrink,
  skill: BookOpen,
  subagent: GitFork,
  notification: Bell,
  budget: Gauge,
  error: CircleAlert
}

const look = cva("size-4 shrink-0", {
  variants: { level: { debug: "text-muted", info: "text-muted", warning: "text-wait", error: "text-bad" } }
})

/** One line of the log; opened, it shows its facts. */
export const StepRow = ({ entry, isOpen, onToggle }: {
  readonly entry: TaskLogEntry
  readonly isOpen: boolean
  readonly onToggle: () => void
}) => {
  const Icon = icons[entry.event]
  const hasData = entry.data !== null && entry.data !== undefined
  return (
    <div>
      <button
        type="button"
        aria-expanded={hasData ? isOpen : undefined}
        disabled={!hasData}
        onClick={onToggle}
        className="flex w-full items-center gap-2 px-3 py-1 text-left enabled:hover:bg-raised"
      >
        <ChevronRight
          aria-hidden
          className={`size-3.5 shrink-0 text-muted ${hasData ? "" : "invisible"} ${isOpen ? "rotate-90" : ""}`}
        />
        <Icon aria-hidden className={look({ level: entry.level })} />
        <span className={isOpen ? "min-w-0 flex-1 break-words" : "min-w-0 flex-1 truncate"}>{entry.message}</span>
        <Time at={entry.timestamp} className="shrink-0 text-xs text-muted" />
      </button>
      {isOpen && hasData && (
        <div className="px-3 pb-2 pl-12">
          <JsonView value={entry.data} />
        </div>
      )}
    </div>
  )
}
