import { durationText } from "../../parts/Time.tsx"
import type { Bar } from "./Timeline.ts"
import type { Span, TimeScale } from "./TimeScale.ts"
import { inView, type View } from "./Zoom.ts"

export const barColours: Readonly<Record<Bar["kind"], string>> = {
  model: "bg-accent",
  tool: "bg-good",
  subtask: "bg-wait",
  crash: "bg-bad",
  wait: "border border-dashed border-line-strong bg-raised",
  point: "bg-line-strong"
}

/** On a narrow screen, only where the bars are shown instead of whole titles. */
export const barsOnly = "max-md:group-data-titles/steps:hidden"

const Placed = ({ kind, scale, span: { from, to }, title, view }: {
  readonly kind: Bar["kind"]
  readonly scale: TimeScale
  readonly span: Span
  readonly view: View
  readonly title: string
}) => {
  const left = inView(view, Math.min(scale.at(from), 0.997))
  const right = inView(view, scale.at(to))
  return left > 1 || right < 0
    ? null
    : (
      <span
        title={title}
        className={`absolute top-1/2 h-3 min-w-[3px] -translate-y-1/2 rounded-xs ${barColours[kind]}`}
        style={{ left: `min(${left * 100}%, 100% - 3px)`, width: `${Math.max(right - left, 0) * 100}%` }}
      />
    )
}

/** The bar of a line, after the time that its task waited before. */
export const Bars = ({ bar, scale, view, waited }: {
  readonly bar: Bar
  readonly waited: Span | null
  readonly scale: TimeScale
  readonly view: View
}) => (
  <span aria-hidden className={`relative h-full overflow-hidden ${barsOnly}`}>
    {waited !== null && (
      <Placed
        kind="wait"
        scale={scale}
        span={waited}
        view={view}
        title={`Waited ${durationText(waited.to - waited.from)}`}
      />
    )}
    <Placed kind={bar.kind} scale={scale} span={bar} view={view} title={durationText(bar.to - bar.from)} />
  </span>
)
