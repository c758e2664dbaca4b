import type { TaskStatus } from "@troupe/client"
import { cva } from "class-variance-authority"
import { CircleCheck, CircleDashed, CircleHelp, CircleX, GitFork, LoaderCircle, type LucideIcon } from "lucide-react"

export const statusNames: Readonly<Record<TaskStatus, string>> = {
  pending: "Queued",
  running: "Running",
  waiting_input: "Needs an answer",
  waiting_subagents: "Waits for subtasks",
  completed: "Completed",
  failed: "Failed"
}

const icons: Readonly<Record<TaskStatus, LucideIcon>> = {
  pending: CircleDashed,
  running: LoaderCircle,
  waiting_input: CircleHelp,
  waiting_subagents: GitFork,
  completed: CircleCheck,
  failed: CircleX
}

const look = cva("inline-flex items-center gap-1.5 font-medium whitespace-nowrap [&_svg]:size-4 [&_svg]:shrink-0", {
  variants: {
    status: {
      pending: "text-muted",
      running: "text-accent",
      waiting_input: "text-wait",
      waiting_subagents: "text-muted",
      completed: "text-good",
      failed: "text-bad"
    }
  }
})

export const StatusBadge = ({ className, isShort = false, status }: {
  readonly status: TaskStatus
  readonly isShort?: boolean
  readonly className?: string
}) => {
  const Icon = icons[status]
  return (
    <span className={look({ status, className })} title={isShort ? statusNames[status] : undefined}>
      <Icon aria-hidden className={status === "running" ? "animate-spin [animation-duration:3s]" : undefined} />
      <span className={isShort ? "sr-only" : undefined}>{statusNames[status]}</span>
    </span>
  )
}
