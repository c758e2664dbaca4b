import { useQuery } from "@tanstack/react-query"
import type { TaskHistory } from "@troupe/client"
import { useMemo } from "react"
import { Loaded } from "../../parts/Loaded.tsx"
import { costText, numberText } from "../../parts/Numbers.ts"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { durationText } from "../../parts/Time.tsx"
import { historyQuery, type Period } from "../../service/SystemQueries.ts"
import { HistoryChart } from "./HistoryChart.tsx"
import { SpendingDetails } from "./SpendingDetails.tsx"
import { SystemTable } from "./SystemTable.tsx"

const periods: Readonly<Record<Period, string>> = { day: "24 hours", week: "7 days", month: "30 days" }

/** Intervals of a day are days of UTC. */
const times: Readonly<Record<Period, Intl.DateTimeFormat>> = {
  day: new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  week: new Intl.DateTimeFormat("en", { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  month: new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" })
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const secondsText = (seconds: number) => durationText(seconds * 1_000)
/** Without the second unit where it is 0: `5 m`. */
const axisSeconds = (seconds: number) => seconds === 0 ? "0" : secondsText(seconds).replace(/(\D) 0 \w$/, "$1")
/** Without the fractions of a cent where they are 0: `$0.20`. */
const axisCost = (cost: number) => costText(cost).replace(/(\.\d\d)0+$/, "$1")
const secondSteps = [
  0.01,
  0.02,
  0.05,
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  1_200,
  1_800,
  3_600,
  7_200,
  18_000,
  43_200,
  86_400,
  432_000
]

/** Null: no model call has a price, so nothing is known. */
const knownCost = ({ cost, unpriced_tasks }: { readonly cost: number; readonly unpriced_tasks: number }) =>
  cost === 0 && unpriced_tasks > 0 ? null : cost

const totalsOf = ({ intervals }: TaskHistory) => {
  const total = (of: (one: TaskHistory["intervals"][number]) => number) =>
    intervals.reduce((sum, one) => sum + of(one), 0)
  return {
    tasks: total(({ completed, failed }) => completed + failed),
    tokens: total(({ input_tokens, output_tokens }) => input_tokens + output_tokens),
    cost: total(({ cost }) => cost),
    unpriced_tasks: total(({ unpriced_tasks }) => unpriced_tasks)
  }
}

const orDash = (seconds: number | null) => seconds === null ? "–" : secondsText(seconds)

const seriesOf = ({ intervals }: TaskHistory) => {
  const values = <K extends keyof TaskHistory["intervals"][number]>(key: K) => intervals.map((one) => one[key])
  return {
    at: values("at"),
    tasks: [
      { name: "Failed", tone: "bad", values: values("failed") },
      { name: "Completed", tone: "good", values: values("completed") }
    ],
    durations: [
      { name: "95th percentile", tone: "wait", values: values("slow_duration_seconds") },
      { name: "Median", tone: "accent", values: values("duration_seconds") }
    ],
    tokens: [
      { name: "Output", tone: "wait", values: values("output_tokens") },
      { name: "Input", tone: "accent", values: values("input_tokens") }
    ],
    cost: [{ name: "US dollars", tone: "accent", values: intervals.map(knownCost) }]
  } as const
}

const Charts = ({ history }: { readonly history: TaskHistory }) => {
  const series = useMemo(() => seriesOf(history), [history])
  const shared = { times: series.at, timeText: (at: number) => times[history.period].format(at) }
  const totals = totalsOf(history)
  const cost = knownCost(totals)
  return (
    <>
      <p className="mb-2">
        {periods[history.period]}: {plural(totals.tasks, "task", numberText)},{" "}
        {plural(totals.tokens, "token", numberText)}, {cost === null ? "cost unknown" : costText(cost)}
        {totals.unpriced_tasks > 0 && (
          <span className="text-muted">
            {" "}
            ({numberText(totals.unpriced_tasks)} without a price, subtasks included; MODEL_PRICES sets prices)
          </span>
        )}
      </p>
      {!history.is_complete && (
        <p className="mb-2 text-muted">So many tasks ended in this time that the oldest are left out.</p>
      )}
      <div className="grid gap-x-6 gap-y-4 md:grid-cols-2">
        <HistoryChart {...shared} kind="bars" title="Tasks that ended" series={series.tasks} valueText={numberText} />
        <HistoryChart
          {...shared}
          kind="lines"
          title="Duration"
          series={series.durations}
          valueText={axisSeconds}
          steps={secondSteps}
        />
        <HistoryChart
          {...shared}
          kind="bars"
          title="Tokens"
          series={series.tokens}
          valueText={(value) => compact.format(value)}
        />
        {cost !== null && (
          <HistoryChart {...shared} kind="bars" title="Cost" series={series.cost} valueText={axisCost} />
        )}
      </div>
      <details className="mt-3">
        <summary className="w-fit text-muted hover:text-text">As a table</summary>
        <div className="mt-2 overflow-hidden rounded-md border p-3">
          <SystemTable
            label="History"
            headings={[
              "From",
              "Completed",
              "Failed",
              "Queued",
              "Median",
              "95 %",
              "Tokens read",
              "Tokens written",
              "Cost"
            ]}
            rows={history.intervals.toReversed().map((one) => ({
              key: one.at,
              cells: [
                <span key="at" className="whitespace-nowrap">{shared.timeText(Date.parse(one.at))}</span>,
                one.completed,
                one.failed,
                orDash(one.queued_seconds),
                orDash(one.duration_seconds),
                orDash(one.slow_duration_seconds),
                numberText(one.input_tokens),
                numberText(one.output_tokens),
                costText(knownCost(one))
              ]
            }))}
          />
        </div>
      </details>
      <SpendingDetails spending={history.spending} />
    </>
  )
}

/** What became of the tasks over time. */
export const HistoryPanel = ({ onPeriod, period }: {
  readonly period: Period
  readonly onPeriod: (period: Period) => void
}) => {
  const query = useQuery(historyQuery(period))
  return (
    <Panel
      title="History"
      actions={
        <div role="group" aria-label="Period" className="flex gap-1">
          {(["day", "week", "month"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === period}
              className="h-7 rounded-md px-2 text-xs text-muted hover:text-text aria-pressed:bg-raised aria-pressed:text-text"
              onClick={() => onPeriod(one)}
            >
              {periods[one]}
            </button>
          ))}
        </div>
      }
    >
      <Loaded name="history" query={query}>
        {(history) =>
          history.intervals.every(({ completed, failed }) => completed + failed === 0)
            ? <p className="text-muted">No task ended in the last {periods[period]}.</p>
            : <Charts history={history} />}
      </Loaded>
    </Panel>
  )
}
