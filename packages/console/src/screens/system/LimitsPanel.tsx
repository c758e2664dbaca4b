import { useQuery } from "@tanstack/react-query"
import type { LimitsReport } from "@troupe/client"
import { useState } from "react"
import { toast } from "sonner"
import { Button } from "../../parts/Button.tsx"
import { Input } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { Panel } from "../../parts/Panel.tsx"
import { plural } from "../../parts/Plural.ts"
import { Problem } from "../../parts/Problem.tsx"
import { agentsQuery } from "../../service/AgentQueries.ts"
import { limitsQuery, useSaveLimits } from "../../service/LimitQueries.ts"
import { amountFault, type LimitRow, limitRows, limitsOf } from "./LimitFields.ts"
import { SystemTable } from "./SystemTable.tsx"

const titleOf = ({ name, of }: LimitRow) => of === "team" ? "Team" : of === "person" ? "Each person" : `Agent ${name}`

const spentText = (amount: number | undefined) => amount === undefined ? "–" : moneyText(amount)

const periods = ["day", "month"] as const

/** What is typed stays until other limits are stored; what is spent is that of the last report. */
const LimitsForm = ({ agents, report }: { readonly agents: ReadonlyArray<string>; readonly report: LimitsReport }) => {
  const [rows, setRows] = useState(() => limitRows(report, agents))
  const spent = new Map(limitRows(report, agents).map((row) => [titleOf(row), row.spent]))
  const save = useSaveLimits()
  const isWrong = rows.some((row) => periods.some((period) => amountFault(row[period]) !== undefined))
  const set = (changed: LimitRow) =>
    setRows((before) => before.map((row) => row.of === changed.of && row.name === changed.name ? changed : row))
  const send = () => {
    if (isWrong || save.isPending) return
    void save.mutateAsync(limitsOf(rows)).then(() => toast.success("The limits are saved"), () => undefined)
  }
  const cell = (row: LimitRow, period: typeof periods[number]) => (
    <Input
      key={period}
      inputMode="decimal"
      placeholder="No limit"
      aria-label={`${titleOf(row)}, limit of a ${period}`}
      aria-invalid={amountFault(row[period]) !== undefined}
      value={row[period]}
      onChange={({ target }) => set({ ...row, [period]: target.value })}
    />
  )
  const unpriced = report.unpriced_calls.month
  return (
    <Form onSubmit={send}>
      <SystemTable
        label="Spending limits"
        headings={["Of", "Today", "Limit of a day", "This month", "Limit of a month"]}
        rows={rows.map((row) => ({
          key: titleOf(row),
          cells: [
            titleOf(row),
            spentText(spent.get(titleOf(row))?.day),
            cell(row, "day"),
            spentText(spent.get(titleOf(row))?.month),
            cell(row, "month")
          ]
        }))}
      />
      <div className="flex flex-wrap items-center justify-between gap-2 border-t pt-3">
        <p className="text-muted">
          {isWrong
            ? "A limit must be a number from 0."
            : unpriced > 0
            ? `${plural(unpriced, "call", numberText)} of this month had no price and count as 0.`
            : "Days and months are of UTC. At a limit, all tasks under it wait for a decision."}
        </p>
        <Button kind="primary" type="submit" disabled={isWrong || save.isPending}>Save limits</Button>
      </div>
      {save.error !== null && <Problem error={save.error} title="The limits were not saved" />}
    </Form>
  )
}

/** What may be spent in a day and in a month, and what is. */
export const LimitsPanel = () => {
  const query = useQuery(limitsQuery)
  const agents = useQuery(agentsQuery)
  return (
    <Panel title="Spending limits">
      <Loaded name="limits" query={query}>
        {(report) =>
          !agents.isPending && (
            <LimitsForm
              key={JSON.stringify([report.team, report.person, report.agents])}
              report={report}
              agents={(agents.data ?? []).map(({ name }) => name)}
            />
          )}
      </Loaded>
    </Panel>
  )
}
