import type { Task, TaskStatus } from "@troupe/client"
import { cva } from "class-variance-authority"
import { type CutBy, isCut } from "./EndedBy.ts"
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleX,
  Gauge,
  GitFork,
  type Icon,
  LoaderCircle,
  Moon
} from "./Icons.ts"

export const statusNames: Readonly<Record<TaskStatus, string>> = {
  pending: "Queued",
  running: "Running",
  waiting_input: "Needs an answer",
  waiting_subagents: "Waits for subtasks",
  completed: "Completed",
  failed: "Failed"
}

/** What is shown: of a status, also why. */
type Shown = TaskStatus | "cancelled" | "sleeping" | CutBy

const shownNames: Readonly<Record<Shown, string>> = {
  ...statusNames,
  cancelled: "Cancelled",
  sleeping: "Sleeping",
  limit: "Stopped at its limit",
  budget: "Stopped at its budget"
}

type Badged = Pick<Task, "end_label" | "ended_by" | "status" | "waiting_for">

const shownOf = ({ ended_by, status, waiting_for }: Badged): Shown =>
  ended_by === "cancelled" || isCut(ended_by) ? ended_by : waiting_for?.reason === "timer" ? "sleeping" : status

const icons: Readonly<Record<Shown, Icon>> = {
  pending: CircleDashed,
  running: LoaderCircle,
  waiting_input: CircleHelp,
  waiting_subagents: GitFork,
  completed: CircleCheck,
  failed: CircleX,
  cancelled: Ban,
  sleeping: Moon,
  limit: Gauge,
  budget: Gauge
}

const look = cva(
  "inline-flex max-w-full min-w-0 items-center gap-1.5 font-medium whitespace-nowrap [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      status: {
        pending: "text-muted",
        running: "text-accent",
        waiting_input: "text-wait",
        waiting_subagents: "text-muted",
        completed: "text-good",
        failed: "text-bad",
        cancelled: "text-muted",
        sleeping: "text-muted",
        limit: "text-wait",
        budget: "text-wait"
      }
    }
  }
)

/** `isBrief`: without the number of the limit, for a column that has no room for it; `isShort`: the icon alone. */
export const StatusBadge = ({ className, isBrief = false, isShort = false, task }: {
  readonly task: Badged
  readonly isBrief?: boolean
  readonly isShort?: boolean
  readonly className?: string
}) => {
  const status = shownOf(task)
  // The service says by whom, or at which limit.
  const name = status === "cancelled" || isCut(task.ended_by)
    ? task.end_label ?? shownNames[status]
    : shownNames[status]
  const Icon = icons[status]
  return (
    <span className={look({ status, className })} title={name}>
      <Icon aria-hidden className={status === "running" ? "animate-spin [animation-duration:3s]" : undefined} />
      <span className={isShort ? "sr-only" : "truncate"}>
        {isBrief && isCut(task.ended_by) ? shownNames[status] : name}
      </span>
    </span>
  )
}
