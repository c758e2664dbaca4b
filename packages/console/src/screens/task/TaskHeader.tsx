import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { ChevronRight, Hourglass } from "../../parts/Icons.ts"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Duration, Time } from "../../parts/Time.tsx"
import { TaskActions } from "./TaskActions.tsx"
import { WaitText } from "./WaitText.tsx"

const Wait = ({ task: { waiting_for: wait } }: { readonly task: Task }) =>
  wait === null ? null : (
    <p className="flex items-center gap-1.5 border-b bg-wait-soft px-4 py-1.5">
      <Hourglass aria-hidden className="size-4 shrink-0 text-wait" />
      <span>
        <WaitText wait={wait} />
        {wait.reason !== "timer" && (
          <>
            {" "}· for <Duration from={wait.since} to={null} />
          </>
        )}
        {wait.reason !== "timer" && wait.until !== null && !wait.detail.includes(wait.until) && (
          <>
            {" "}· continues <Time at={wait.until} />
          </>
        )}
      </span>
    </p>
  )

/** What the task is, in which state, why it waits, and what it has cost. */
export const TaskHeader = ({ task }: { readonly task: Task }) => {
  const { total } = task.usage
  return (
    <header className="shrink-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b bg-surface px-4 py-2">
        <div className="min-w-0 flex-1 basis-80">
          <nav aria-label="Path" className="flex items-center gap-1 text-xs text-muted">
            <Link to="/tasks" className="hover:text-text">Tasks</Link>
            {task.parent_task_id !== null && (
              <>
                <ChevronRight aria-hidden className="size-3" />
                <Link to="/tasks/$taskId" params={{ taskId: task.parent_task_id }} className="hover:text-text">
                  Parent task
                </Link>
              </>
            )}
            {task.continued_from !== null && (
              <>
                <ChevronRight aria-hidden className="size-3" />
                <Link to="/tasks/$taskId" params={{ taskId: task.continued_from }} className="hover:text-text">
                  Continues a task
                </Link>
              </>
            )}
          </nav>
          <h1 className="truncate text-lg font-semibold" title={task.title}>{task.title}</h1>
          <p className="flex flex-wrap gap-x-3 text-muted">
            <StatusBadge task={task} />
            <span title="From its creation on, with waits and the time before retries">
              <Duration from={task.created_at} to={task.completed_at} />{" "}
              {task.completed_at === null ? "so far" : "in all"}
            </span>
            <span title="With all subtasks">{numberText(total.input_tokens + total.output_tokens)} tokens</span>
            {total.cost !== null && <span title="With all subtasks">{moneyText(total.cost)}</span>}
            {task.archived_at !== null && <span>Archived</span>}
          </p>
        </div>
        <TaskActions task={task} />
      </div>
      <Wait task={task} />
    </header>
  )
}
