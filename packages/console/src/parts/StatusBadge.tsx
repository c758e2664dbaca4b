import type { Task, TaskStatus } from "@troupe/client"
import { cva } from "class-variance-authority"
import { Ban, CircleCheck, CircleDashed, CircleHelp, CircleX, GitFork, type Icon, LoaderCircle, Moon } from "./Icons.ts"

export const statusNames: Readonly<Record<TaskStatus, string>> = {
  pending: "Queued",
  running: "Running",
  waiting_input: "Needs an answer",
  waiting_subagents: "Waits for subtasks",
  completed: "Completed",
  failed: "Failed"
}

/** What is shown: of a status, also why. */
type Shown = TaskStatus | "cancelled" | "sleeping"

const shownNames: Readonly<Record<Shown, string>> = { ...statusNames, cancelled: "Cancelled", sleeping: "Sleeping" }

/** A cancelled task is failed with an error that begins so. */
export const isCancelled = ({ error, status }: Pick<Task, "error" | "status">): boolean =>
  status === "failed" && error !== null && /^Cancelled[.:]/.test(error)

type Badged = Pick<Task, "error" | "status" | "waiting_for">

const shownOf = (task: Badged): Shown =>
  isCancelled(task) ? "cancelled" : task.waiting_for?.reason === "timer" ? "sleeping" : task.status

const icons: Readonly<Record<Shown, Icon>> = {
  pending: CircleDashed,
  running: LoaderCircle,
  waiting_input: CircleHelp,
  waiting_subagents: GitFork,
  completed: CircleCheck,
  failed: CircleX,
  cancelled: Ban,
  sleeping: Moon
}

const look = cva("inline-flex items-center gap-1.5 font-medium whitespace-nowrap [&_svg]:size-4 [&_svg]:shrink-0", {
  variants: {
    status: {
      pending: "text-muted",
      running: "text-accent",
      waiting_input: "text-wait",
      waiting_subagents: "text-muted",
      completed: "text-good",
      failed: "text-bad",
      cancelled: "text-muted",
      sleeping: "text-muted"
    }
  }
})

export const StatusBadge = ({ className, isShort = false, task }: {
  readonly task: Badged
  readonly isShort?: boolean
  readonly className?: string
}) => {
  const status = shownOf(task)
  const Icon = icons[status]
  return (
    <span className={look({ status, className })} title={isShort ? shownNames[status] : undefined}>
      <Icon aria-hidden className={status === "running" ? "animate-spin [animation-duration:3s]" : undefined} />
      <span className={isShort ? "sr-only" : undefined}>{shownNames[status]}</span>
    </span>
  )
}
