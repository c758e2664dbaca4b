import { Link } from "@tanstack/react-router"
import type { Task } from "@troupe/client"
import { Button } from "../../../parts/Button.tsx"
import { ChevronDown, ChevronRight, CircleAlert, Gauge, type Icon, ListTree, Loader } from "../../../parts/Icons.ts"
import { costText, numberText } from "../../../parts/Numbers.ts"
import { plural } from "../../../parts/Plural.ts"
import { RichText } from "../../../parts/RichText.tsx"
import { StatusBadge } from "../../../parts/StatusBadge.tsx"
import { Time } from "../../../parts/Time.tsx"
import { useFolds } from "./Folds.ts"
import type { NoteTone, ThreadItem } from "./ThreadItem.ts"

const noteIcons: Readonly<Record<NoteTone, Icon>> = { muted: Loader, wait: Gauge, bad: CircleAlert }
const noteColours: Readonly<Record<NoteTone, string>> = { muted: "text-muted", wait: "text-wait", bad: "text-bad" }

/** What happened to the work: a summary of older messages, a plan, a failure, a limit. */
export const NoteItem = ({ item: { detail, id, text, tone } }: {
  readonly item: Extract<ThreadItem, { _tag: "note" }>
}) => {
  const { isOpen, toggle } = useFolds()
  const look = `flex min-w-0 items-start gap-1.5 text-left break-words ${noteColours[tone]}`
  const isShown = isOpen(id)
  const Icon = detail === null ? noteIcons[tone] : isShown ? ChevronDown : ChevronRight
  const content = (
    <>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{text}</span>
    </>
  )
  if (detail === null) return <p className={look}>{content}</p>
  return (
    <>
      <button type="button" aria-expanded={isShown} className={`${look} hover:text-text`} onClick={() => toggle(id)}>
        {content}
      </button>
      {isShown && (
        <div className="mt-1 ml-2 border-l pl-4">
          <RichText text={detail} />
        </div>
      )}
    </>
  )
}

/** A thread within the thread, folded. */
export const SubtaskItem = ({ item: { isOpen, task }, onToggle }: {
  readonly item: Extract<ThreadItem, { _tag: "subtask" }>
  readonly onToggle: (id: string) => void
}) => {
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <div className="flex min-h-9 items-center gap-2 rounded-lg border bg-surface pr-3 pl-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`Thread of ${task.title}`}
        className="grid size-7 shrink-0 place-items-center rounded-sm text-muted hover:bg-raised hover:text-text"
        onClick={() => onToggle(task.id)}
      >
        <Chevron aria-hidden className="size-4" />
      </button>
      <StatusBadge task={task} isShort />
      <Link to="/tasks/$taskId" params={{ taskId: task.id }} className="min-w-0 flex-1 truncate hover:underline">
        {task.title}
      </Link>
      <span className="shrink-0 text-xs text-muted">
        {task.agent_type ?? "subagent"}
        {task.usage.cost !== null && ` · ${costText(task.usage.cost)}`}
      </span>
    </div>
  )
}

/** Work that is loaded on demand. */
export const FoldedItem = ({ onToggle, task }: {
  readonly task: Task
  readonly onToggle: (id: string) => void
}) => (
  <Button kind="ghost" size="small" className="-ml-1.5" aria-expanded={false} onClick={() => onToggle(task.id)}>
    <ListTree aria-hidden />
    Show the work: {plural(task.usage.model_calls, "model call")}, {plural(task.usage.tool_calls, "tool call")}
  </Button>
)

/** The ways to continuations of the task above that this thread does not show. */
export const BranchesItem = ({ tasks }: { readonly tasks: ReadonlyArray<Task> }) => {
  const title = plural(tasks.length, "other continuation")
  return (
    <section aria-label={title} className="border-l-2 pl-3 text-muted">
      <h2 className="flex items-center gap-1.5">
        <ListTree aria-hidden className="size-4" />
        {title} of the task above
      </h2>
      <ul>
        {tasks.map((task) => (
          <li key={task.id} className="flex min-h-7 items-center gap-2">
            <StatusBadge task={task} isShort />
            <Link
              to="/tasks/$taskId"
              params={{ taskId: task.id }}
              className="min-w-0 truncate text-accent hover:underline"
            >
              {task.title}
            </Link>
            <span className="shrink-0 text-xs">
              <Time at={task.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The way to steps that are not loaded. */
export const OlderItem = ({ before, isLoading, onLoad, taskId }: {
  readonly before: number
  readonly taskId: string
  readonly isLoading: boolean
  /** Undefined where only the page of the task itself loads them. */
  readonly onLoad: (() => void) | undefined
}) => (
  <div className="flex items-center gap-3 text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
    {onLoad === undefined
      ? (
        <Link to="/tasks/$taskId" params={{ taskId }} className="text-accent underline underline-offset-2">
          The first {plural(before - 1, "step", numberText)} are on its own page
        </Link>
      )
      : (
        <Button size="small" disabled={isLoading} onClick={onLoad}>
          {isLoading ? "Loading earlier steps …" : `Show earlier work (${plural(before - 1, "step", numberText)})`}
        </Button>
      )}
  </div>
)
