import { useQuery } from "@tanstack/react-query"
import { Loaded } from "../../parts/Loaded.tsx"
import { NoPrice } from "../../parts/NoPrice.tsx"
import { costText, numberText } from "../../parts/Numbers.ts"
import { usageQuery } from "../../service/PeopleQueries.ts"

const columns = ["Day (UTC)", "Tasks", "Model calls", "Tokens in", "Tokens out", "Cost"]

/** What the tasks of a person used in the last 30 days, with the days that had any. */
export const PersonUsage = ({ id }: { readonly id: string }) => {
  const query = useQuery(usageQuery(id))
  const cells = (
    { cost, input_tokens, model_calls, output_tokens, tasks }:
      | NonNullable<typeof query.data>["days"][number]
      | NonNullable<typeof query.data>
  ) => [tasks, model_calls, input_tokens, output_tokens].map(numberText).concat(costText(cost))
  return (
    <section aria-labelledby="usage">
      <h3 id="usage" className="mb-1 font-semibold">Usage of the last 30 days, and its cost</h3>
      <Loaded name="usage" query={query}>
        {(usage) =>
          usage.days.length === 0 ?
            <p className="text-muted">No tasks in this time.</p> :
            (
              <div
                tabIndex={0}
                role="group"
                aria-label="Usage by day"
                className="max-h-64 overflow-auto rounded-md border"
              >
                <table className="w-full">
                  <thead className="sticky top-0 bg-surface text-xs text-muted">
                    <tr>
                      {columns.map((name, index) => (
                        <th
                          key={name}
                          scope="col"
                          className={`h-7 px-2.5 font-normal whitespace-nowrap ${
                            index === 0 ? "text-left" : "text-right"
                          }`}
                        >
                          {name}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {[{ ...usage, date: "Total" }, ...usage.days].map((row) => (
                      <tr key={row.date} className="border-t first:font-medium">
                        <th scope="row" className="px-2.5 py-1 text-left font-normal whitespace-nowrap">{row.date}</th>
                        {cells(row).map((text, index) => (
                          <td key={columns[index + 1]} className="px-2.5 py-1 text-right tabular-nums">{text}</td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
      </Loaded>
      {query.data?.cost === null && query.data.model_calls > 0 && (
        <p className="mt-1 text-muted">
          Cost: <NoPrice /> A price counts from then on.
        </p>
      )}
    </section>
  )
}
