import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { Button } from "../../parts/Button.tsx"
import { ChevronRight, Hourglass, PanelRight } from "../../parts/Icons.ts"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { viewTabLook } from "../../parts/TabLook.ts"
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

const views = [{ name: "Conversation", view: "thread" }, { name: "Steps", view: "steps" }] as const

/** What the task is, in which state, why it waits, what it has cost, and the ways to look at it. */
export const TaskHeader = ({ hasFacts, onFacts, task, view }: {
  readonly task: Task
  readonly view: (typeof views)[number]["view"]
  readonly hasFacts: boolean
  readonly onFacts: () => void
}) => {
  const { total } = task.usage
  return (
    <header className="shrink-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 bg-surface px-4 pt-2 max-md:px-3">
        <div className="min-w-0 flex-1 basis-80">
          <nav
            aria-label="Path"
            className={`flex items-center gap-1 text-xs text-muted ${
              task.parent_task_id === null ? "max-md:hidden" : ""
            }`}
          >
            <Link to="/tasks" className="hover:text-text">Tasks</Link>
            {task.parent_task_id !== null && (
              <>
                <ChevronRight aria-hidden className="size-3" />
                <Link to="/tasks/$taskId" params={{ taskId: task.parent_task_id }} className="hover:text-text">
                  Parent task
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
      </div>
      <div className="flex items-end justify-between gap-2 border-b bg-surface px-2">
        <nav aria-label="Views of the task" className="flex">
          {views.map((one) => (
            <Link
              key={one.view}
              to="/tasks/$taskId"
              params={{ taskId: task.id }}
              search={one.view === "steps" ? { view: "steps" } : {}}
              replace
              // Else the one without parameters would count as the current one everywhere.
              activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
              aria-current={view === one.view ? "page" : "false"}
              className={viewTabLook}
            >
              {one.name}
            </Link>
          ))}
        </nav>
        <div className="flex items-center gap-1 pb-1">
          <TaskActions task={task} />
          <Button
            kind="ghost"
            size="small"
            className="aria-pressed:bg-raised aria-pressed:text-text"
            aria-pressed={hasFacts}
            aria-label="Details"
            title="Details"
            onClick={onFacts}
          >
            <PanelRight aria-hidden /> <span className="max-md:hidden">Details</span>
          </Button>
        </div>
      </div>
      {(view === "steps" || task.status !== "waiting_input") && <Wait task={task} />}
    </header>
  )
}
