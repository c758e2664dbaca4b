import type { TaskHistory } from "@troupe/client"
import { moneyText, numberText } from "../../parts/Numbers.ts"
import { UserName } from "../people/UserName.tsx"
import { sourceNames } from "../tasks/Filters.ts"
import { SystemTable } from "./SystemTable.tsx"

const sourceOf = (source: string | null): string =>
  Object.entries(sourceNames).find(([one]) => one === (source ?? "api"))?.[1] ?? source ?? ""

/** Money by day, person, agent, model and source, newest first. */
export const SpendingDetails = ({ spending = [] }: { readonly spending: TaskHistory["spending"] }) =>
  spending.length > 0 && (
    <details className="mt-3">
      <summary className="w-fit text-muted hover:text-text">Spending by day</summary>
      <div className="mt-2 max-h-96 overflow-auto rounded-md border p-3">
        <SystemTable
          label="Spending by day"
          headings={["Day", "Person", "Agent", "Model", "Source", "Calls", "Without a price", "Cost"]}
          rows={spending.map(({ agent, calls, cost, date, model, source, unpriced_calls, user_id }) => ({
            key: [date, user_id, agent, model, source].join("\n"),
            cells: [
              <span key="date" className="whitespace-nowrap">{date}</span>,
              <UserName key="person" id={user_id} />,
              agent ?? "–",
              model,
              sourceOf(source),
              numberText(calls),
              numberText(unpriced_calls),
              moneyText(cost)
            ]
          }))}
        />
      </div>
    </details>
  )
