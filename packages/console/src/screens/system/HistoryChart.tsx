import { lazy, Suspense, useState } from "react"
import type { ChartSeries, ChartTone } from "../../parts/Chart.tsx"

const Chart = lazy(() => import("../../parts/Chart.tsx"))

const swatches: Readonly<Record<ChartTone, string>> = {
  accent: "bg-accent",
  good: "bg-good",
  bad: "bg-bad",
  wait: "bg-wait"
}

/** One chart with its legend, which has the values of the interval under the pointer. */
export const HistoryChart = ({ kind, series, steps, timeText, times, title, valueText }: {
  readonly title: string
  readonly kind: "bars" | "lines"
  readonly series: ReadonlyArray<ChartSeries>
  readonly times: ReadonlyArray<string>
  readonly timeText: (at: number) => string
  readonly valueText: (value: number) => string
  readonly steps?: ReadonlyArray<number>
}) => {
  const [index, setIndex] = useState<number | null>(null)
  const at = index === null ? undefined : times[index]
  return (
    <figure className="min-w-0">
      <figcaption className="flex min-h-6 flex-wrap items-baseline gap-x-3">
        <h3 className="font-medium">{title}</h3>
        {series.map(({ name, tone, values }) => {
          const value = index === null ? undefined : values[index]
          return (
            <span key={name} className="inline-flex items-center gap-1.5 text-xs text-muted">
              <span aria-hidden className={`size-2 rounded-full ${swatches[tone]}`} />
              {name}
              {value !== null && value !== undefined && (
                <span className="font-medium text-text tabular-nums">{valueText(value)}</span>
              )}
            </span>
          )
        })}
        <span className="ml-auto text-xs text-muted">{at !== undefined && timeText(Date.parse(at))}</span>
      </figcaption>
      <Suspense fallback={<div className="h-[140px]" />}>
        <Chart
          label={`${title} over time: ${series.map(({ name }) => name.toLowerCase()).join(", ")}`}
          kind={kind}
          series={series}
          times={times}
          timeText={timeText}
          valueText={valueText}
          {...(steps === undefined ? {} : { steps })}
          onPoint={setIndex}
        />
      </Suspense>
    </figure>
  )
}
