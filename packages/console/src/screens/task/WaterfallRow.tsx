import { Link } from "@tanstack/react-router"
import type { TaskStep } from "@troupe/client"
import { cva } from "class-variance-authority"
import {
  Ban,
  BookOpen,
  Bot,
  CircleAlert,
  CornerDownRight,
  Gauge,
  GitFork,
  Loader,
  type LucideIcon,
  MessageSquare,
  Play,
  RotateCcw,
  Shrink,
  Wrench
} from "lucide-react"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { durationText } from "../../parts/Time.tsx"
import type { Bar, Line } from "./Timeline.ts"
import type { Span, TimeScale } from "./TimeScale.ts"

export const stepIcons: Readonly<Record<TaskStep["kind"], LucideIcon>> = {
  woken: Play,
  prepared: BookOpen,
  model: Bot,
  started: Wrench,
  dispatched: GitFork,
  results: CornerDownRight,
  compacted: Shrink,
  forced: Gauge,
  steered: MessageSquare,
  answered: MessageSquare,
  cancelled: Ban,
  retried: RotateCcw,
  crashed: CircleAlert,
  model_failed: CircleAlert,
  progressed: Loader,
  failed: CircleAlert
}

const barLook = cva("absolute top-1/2 h-3 min-w-[3px] -translate-y-1/2 rounded-xs", {
  variants: {
    kind: { model: "bg-accent", tool: "bg-good", subtask: "bg-wait", crash: "bg-bad", point: "bg-line-strong" }
  }
})

const rowLook = cva(
  "grid h-full w-full grid-cols-[minmax(0,1fr)_4.5rem] items-center text-left md:grid-cols-[55%_minmax(0,1fr)_4.5rem]",
  {
    variants: { isSelected: { true: "bg-accent-soft", false: "hover:bg-raised" } }
  }
)

const placed = (scale: TimeScale, { from, to }: Span) => {
  const left = Math.min(scale.at(from), 0.995)
  return { left: `${left * 100}%`, width: `${Math.max(scale.at(to) - left, 0) * 100}%` }
}

const Bars = (
  { bar, scale, waited }: { readonly bar: Bar; readonly waited: Span | null; readonly scale: TimeScale }
) => (
  <span aria-hidden className="relative h-full max-md:hidden">
    {waited !== null && (
      <span className="absolute top-1/2 h-0 border-t border-dashed border-line-strong" style={placed(scale, waited)} />
    )}
    <span className={barLook({ kind: bar.kind })} style={placed(scale, bar)} />
  </span>
)

const time = ({ from, to }: Span) => to - from < 1 ? "" : durationText(to - from)

/** A step or a subtask: what it was, its bar, and what it took. */
export const WaterfallRow = ({ isSelected, line, onSelect, scale }: {
  readonly line: Line
  readonly scale: TimeScale
  readonly isSelected: boolean
  readonly onSelect: (seq: number) => void
}) => {
  if (line._tag === "subtask") {
    const { bar, task } = line
    return (
      <Link to="/tasks/$taskId" params={{ taskId: task.id }} className={rowLook({ isSelected: false })}>
        <span className="flex min-w-0 items-center gap-2 pr-2 pl-9">
          <StatusBadge status={task.status} isShort />
          <span className="truncate">{task.title}</span>
        </span>
        <Bars bar={bar} waited={null} scale={scale} />
        <span className="pr-3 text-right text-xs text-muted tabular-nums">{time(bar)}</span>
      </Link>
    )
  }
  const { bar, step, waited } = line
  const Icon = stepIcons[step.kind]
  const isBad = bar.kind === "crash" || step.results.some(({ content }) => content.startsWith("Error:"))
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => onSelect(step.seq)}
      className={rowLook({ isSelected })}
    >
      <span className="flex min-w-0 items-center gap-2 px-3">
        <Icon aria-hidden className={`size-4 shrink-0 ${isBad ? "text-bad" : "text-muted"}`} />
        <span className="truncate">{step.title}</span>
      </span>
      <Bars bar={bar} waited={waited} scale={scale} />
      <span className="pr-3 text-right text-xs text-muted tabular-nums">
        {time(bar) === "" && waited !== null ? `+${time(waited)}` : time(bar)}
      </span>
    </button>
  )
}
