import "uplot/dist/uPlot.min.css"
import { useEffect, useRef } from "react"
import UPlot from "uplot"

export type ChartTone = "accent" | "good" | "bad" | "wait"

export interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  readonly values: ReadonlyArray<number | null>
}

export interface ChartProps {
  /** What is drawn, for those who do not see it. */
  readonly label: string
  readonly kind: "bars" | "lines"
  /** Bars are stacked: the last of the series is at the bottom. */
  readonly series: ReadonlyArray<ChartSeries>
  readonly times: ReadonlyArray<string>
  readonly timeText: (at: number) => string
  readonly valueText: (value: number) => string
  /** Distances between the marks of the axis; by default whole numbers. */
  readonly steps?: ReadonlyArray<number>
  readonly onPoint: (index: number | null) => void
}

/** The canvas can't use the design tokens by name. */
const colourOf = (element: HTMLElement, token: string): string => {
  element.style.color = `var(--color-${token})`
  const { color } = getComputedStyle(element)
  element.style.color = ""
  return color
}

const stacked = (series: ReadonlyArray<ChartSeries>) =>
  series.map(({ values }, index) =>
    values.map((_, at) => series.slice(index).reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  )

const height = 140

const draw = (
  element: HTMLElement,
  { kind, onPoint, series, steps, timeText, times, valueText }: ChartProps
): UPlot => {
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  const axis = { stroke: () => colourOf(element, "muted"), font: "11px system-ui", ticks: { show: false } }
  const grid = { stroke: () => colourOf(element, "line"), width: 1 }
  return new UPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        // Half an interval more on each side, in which the bars of the first and the last one end.
        x: {
          time: true,
          range: (_, from, to) => [from - (to - from) / times.length / 2, to + (to - from) / times.length / 2]
        },
        y: { range: (_, _min, max) => [0, max === null || max <= 0 ? 1 : max * 1.1] }
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          space: 70,
          values: (_, all) => all.map((at) => timeText(at * 1_000))
        },
        {
          ...axis,
          grid,
          size: 56,
          space: 30,
          values: (_, all) => all.map(valueText),
          ...(steps === undefined ? {} : { incrs: [...steps] })
        }
      ],
      series: [
        {},
        ...series.map(({ name, tone }) => ({
          label: name,
          stroke: () => colourOf(element, tone),
          width: kind === "bars" ? 0 : 1.5,
          points: { show: kind === "lines", size: 4, fill: () => colourOf(element, tone) },
          ...(kind === "bars" && bars !== undefined ? { paths: bars, fill: () => colourOf(element, tone) } : {})
        }))
      ],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] }
    },
    [
      times.map((at) => Date.parse(at) / 1_000),
      ...(kind === "bars" ? stacked(series) : series.map(({ values }) => [...values]))
    ],
    element
  )
}

/** Values over time. It follows the size of its place and the colours of the page. */
const Chart = (props: ChartProps) => {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const { label, series, times } = props
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = draw(element, { ...latest.current, onPoint: (index) => latest.current.onPoint(index) })
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    size.observe(element)
    // Bars keep the colour of their paths, so the paths are made again.
    const redraw = () => plot.redraw()
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    scheme.addEventListener("change", redraw)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] })
    return () => {
      size.disconnect()
      theme.disconnect()
      scheme.removeEventListener("change", redraw)
      plot.destroy()
    }
  }, [series, times])
  return <div ref={place} role="img" aria-label={label} className="h-[140px] w-full overflow-hidden" />
}

export default Chart
