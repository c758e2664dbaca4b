import { Button } from "../../parts/Button.tsx"
import { Maximize, ZoomIn, ZoomOut } from "../../parts/Icons.ts"
import { durationText } from "../../parts/Time.tsx"
import { barColours, barsOnly } from "./Bars.tsx"
import type { TimeScale } from "./TimeScale.ts"
import { inView, type View, wholeView, zoomed } from "./Zoom.ts"

const legend = [
  { kind: "model", name: "Model" },
  { kind: "tool", name: "Tools" },
  { kind: "subtask", name: "Subtask" },
  { kind: "wait", name: "Wait" },
  { kind: "crash", name: "Failure" }
] as const

const zooms = [
  { name: "Zoom out", hint: "-", icon: ZoomOut, isOut: true, apply: (view: View) => zoomed(view, 2) },
  {
    name: "Zoom in",
    hint: "+, or Ctrl and the wheel",
    icon: ZoomIn,
    isOut: false,
    apply: (view: View) => zoomed(view, 0.5)
  },
  { name: "Show all of the time", hint: "0", icon: Maximize, isOut: true, apply: () => wholeView }
] as const

/** What the colours mean, and how much of the time is shown. */
export const ZoomButtons = ({ onChange, view }: {
  readonly view: View
  readonly onChange: (view: View) => void
}) => (
  <div className={`flex items-center gap-0.5 ${barsOnly}`}>
    <ul className="mr-2 flex gap-3 text-xs text-muted max-md:hidden">
      {legend.map(({ kind, name }) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span aria-hidden className={`size-2.5 rounded-xs ${barColours[kind]}`} />
          {name}
        </li>
      ))}
    </ul>
    {zooms.map(({ apply, hint, icon: Icon, isOut, name }) => (
      <Button
        key={name}
        kind="ghost"
        size="small"
        aria-label={name}
        title={`${name} (${hint})`}
        disabled={isOut && view.to - view.from >= 1}
        onClick={() => onChange(apply(view))}
      >
        <Icon aria-hidden />
      </Button>
    ))}
  </div>
)

const breakLook = "border-x border-dashed border-line-strong bg-raised"

const places = [0, 1 / 3, 2 / 3] as const

/** How long after the first step that is loaded. */
export const Axis = ({ scale, view }: { readonly scale: TimeScale; readonly view: View }) => {
  const start = scale.timeAt(0)
  return (
    <div className={`relative h-6 shrink-0 border-b text-xs text-muted ${barsOnly}`}>
      {scale.breaks.length > 0 && (
        <span
          className="absolute inset-y-0 left-3 flex items-center gap-1.5 max-md:hidden"
          title="Distances do not show idle time to scale; each mark says how long after the first step it is"
        >
          <span aria-hidden className={`h-3 w-4 ${breakLook}`} />
          Idle time, shortened
        </span>
      )}
      <div aria-hidden className="absolute inset-y-0 right-(--bars-right) left-(--bars-left)">
        {places.map((place) => (
          <span
            key={place}
            className="absolute inset-y-0 flex items-center border-l pl-1 whitespace-nowrap tabular-nums"
            style={{ left: `${place * 100}%` }}
          >
            {durationText(scale.timeAt(view.from + place * (view.to - view.from)) - start)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Where idle time is drawn shorter than it was. */
export const Breaks = ({ scale, view }: { readonly scale: TimeScale; readonly view: View }) => {
  const width = view.to - view.from
  return scale.breaks
    .filter((one) => one.width / width > 0.004 && one.x < view.to && one.x + one.width > view.from)
    .map(({ from, to, width: part, x }) => (
      <span
        key={from}
        title={`Nothing happened for ${durationText(to - from)}`}
        className={`absolute inset-y-0 ${breakLook}`}
        style={{ left: `${inView(view, x) * 100}%`, width: `${(part / width) * 100}%` }}
      />
    ))
}
