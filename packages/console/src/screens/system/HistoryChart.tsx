import { lazy, Suspense, useState } from "react"
import type { ChartProps, ChartTone } from "../../parts/Chart.tsx"

const Chart = lazy(() => import("../../parts/Chart.tsx"))

const swatches: Readonly<Record<ChartTone, string>> = {
  accent: "bg-accent",
  good: "bg-good",
  bad: "bg-bad",
  wait: "bg-wait"
}

/** One chart with its legend, which has the values of the interval under the pointer. */
export const HistoryChart = (
  { title, ...chart }: Omit<ChartProps, "label" | "onPoint"> & { readonly title: string }
) => {
  const { series, timeText, times, valueText } = chart
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
          {...chart}
          onPoint={setIndex}
        />
      </Suspense>
    </figure>
  )
}
