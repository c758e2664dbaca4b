import { Link } from "@tanstack/react-router"
import { cva } from "class-variance-authority"
import { memo } from "react"
import { ChevronDown, ChevronRight, Hourglass } from "../../parts/Icons.ts"
import { numberText } from "../../parts/Numbers.ts"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { durationText } from "../../parts/Time.tsx"
import { Bars } from "./Bars.tsx"
import { StepIcon, stepTitle } from "./StepIcon.tsx"
import type { Line, StepAddress } from "./Timeline.ts"
import type { Span, TimeScale } from "./TimeScale.ts"
import { WaitText } from "./WaitText.tsx"
import type { View } from "./Zoom.ts"

const rowLook = cva(
  "grid h-full w-full grid-cols-[var(--bars-left)_minmax(0,1fr)_var(--bars-right)] items-center text-left "
    + "outline-offset-[-2px] max-md:group-data-titles/steps:grid-cols-[minmax(0,1fr)_5rem]",
  {
    variants: {
      isSelected: { true: "bg-accent-soft", false: "hover:bg-raised" },
      isFocused: { true: "outline-2 outline-accent", false: "" }
    }
  }
)

const time = ({ from, to }: Span) => to - from < 1 ? "" : durationText(to - from)

/** A step, a subtask or the wait: what it was, its bar, and what it took. */
export const WaterfallRow = memo(
  ({ isFocused, isSelected, isUnfolded, line, onLoop, onSelect, onToggle, scale, view }: {
    readonly line: Line
    readonly scale: TimeScale
    readonly view: View
    readonly isSelected: boolean
    readonly isFocused: boolean
    readonly isUnfolded: boolean
    readonly onSelect: (step: StepAddress) => void
    readonly onToggle: (id: string) => void
    readonly onLoop: (line: Extract<Line, { _tag: "loop" }>) => void
  }) => {
    const { bar } = line
    const took = <span className="pr-3 text-right text-xs text-muted tabular-nums">{time(bar)}</span>
    if (line._tag === "wait") {
      return (
        <div className={rowLook({ isSelected: false, isFocused })}>
          <span className="flex min-w-0 items-center gap-2 px-3 text-wait">
            <Hourglass aria-hidden className="size-4 shrink-0" />
            <span className="truncate">
              <WaitText wait={line.wait} />
            </span>
          </span>
          <Bars bar={bar} waited={null} scale={scale} view={view} />
          {took}
        </div>
      )
    }
    if (line._tag === "subtask") {
      const { task } = line
      const Chevron = isUnfolded ? ChevronDown : ChevronRight
      return (
        <div className={rowLook({ isSelected: false, isFocused })}>
          <span className="flex min-w-0 items-center gap-1.5 pr-2 pl-6">
            <button
              type="button"
              aria-expanded={isUnfolded}
              aria-label={`Steps of ${task.title}`}
              className="grid size-6 shrink-0 place-items-center rounded-sm text-muted hover:bg-raised hover:text-text"
              onClick={() => onToggle(task.id)}
            >
              <Chevron aria-hidden className="size-4" />
            </button>
            <StatusBadge task={task} isShort />
            <Link to="/tasks/$taskId" params={{ taskId: task.id }} className="truncate hover:underline">
              {task.title}
            </Link>
          </span>
          <Bars bar={bar} waited={null} scale={scale} view={view} />
          {took}
        </div>
      )
    }
    if (line._tag === "loop") {
      const Chevron = line.isOpen ? ChevronDown : ChevronRight
      return (
        <button
          type="button"
          aria-expanded={line.isOpen}
          className={rowLook({ isSelected: false, isFocused })}
          onClick={() => onLoop(line)}
        >
          <span className="flex min-w-0 items-center gap-2 pr-3 pl-3">
            <Chevron aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="truncate">
              {line.name}, {numberText(line.count)} times
            </span>
          </span>
          <Bars bar={bar} waited={null} scale={scale} view={view} />
          {took}
        </button>
      )
    }
    const { isOfSubtask, step, taskId, waited } = line
    const isBad = bar.kind === "crash" || step.results.some(({ content }) => content.startsWith("Error:"))
    return (
      <button
        type="button"
        aria-pressed={isSelected}
        onClick={() => onSelect({ taskId, seq: step.seq })}
        className={rowLook({ isSelected, isFocused })}
      >
        <span className={`flex min-w-0 items-center gap-2 pr-3 ${isOfSubtask ? "pl-14" : "pl-3"}`}>
          <StepIcon step={step} isBad={isBad} />
          <span className="truncate">{stepTitle(step)}</span>
        </span>
        <Bars bar={bar} waited={waited} scale={scale} view={view} />
        {time(bar) === "" && waited !== null
          ? (
            <span className="pr-3 text-right text-xs text-muted tabular-nums" title="Waited before this step">
              +{time(waited)}
            </span>
          )
          : took}
      </button>
    )
  }
)
