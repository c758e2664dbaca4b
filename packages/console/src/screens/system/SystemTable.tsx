import type { ReactNode } from "react"

/** A small table; on a narrow window it scrolls sideways in itself. */
export const SystemTable = ({ headings, hints = {}, label, rows }: {
  readonly label: string
  readonly headings: ReadonlyArray<string>
  /** What a heading means, on hover. */
  readonly hints?: Readonly<Record<string, string>>
  readonly rows: ReadonlyArray<{ readonly key: string; readonly cells: ReadonlyArray<ReactNode> }>
}) => (
  <div tabIndex={0} role="group" aria-label={label} className="-m-3 overflow-x-auto outline-offset-[-2px]">
    <table className="w-full">
      <thead className="text-left text-xs text-muted">
        <tr>
          {headings.map((name) => (
            <th key={name} scope="col" title={hints[name]} className="h-7 px-3 font-normal whitespace-nowrap">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ cells, key }) => (
          <tr key={key} className="border-t">
            {cells.map((cell, index) => <td key={headings[index]} className="px-3 py-2">{cell}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
