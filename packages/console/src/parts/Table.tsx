import type { ReactNode } from "react"

/** A column: its heading, and what a row shows in it. */
export interface Column<A> {
  readonly name: string
  /** What the heading means, on hover. */
  readonly hint?: string
  readonly cell: (row: A) => ReactNode
  /** `max-md:hidden` hides the column in narrow windows. */
  readonly className?: string
}

/** Put this on the link or button that opens a row: all of the row is then its target. `j` and `k` focus `row-target`. */
export const rowTargetLook = "row-target font-medium text-left before:absolute before:inset-0"

/** Put this on other controls of a row, which lie above the target of the row. */
export const aboveRowLook = "relative"

/** A list of some hundred entries. */
export const Table = <A extends { readonly id: string }>({ columns, label, rows }: {
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
}) => (
  <table aria-label={label} className="w-full table-fixed border-collapse bg-surface">
    <colgroup>
      {columns.map(({ className, name }) => <col key={name} className={className} />)}
    </colgroup>
    <thead className="border-b text-xs text-muted max-md:sr-only">
      <tr>
        {columns.map(({ className, hint, name }) => (
          <th
            key={name}
            scope="col"
            title={hint}
            className={`h-7 px-2 text-left font-normal first:pl-4 last:pr-4 ${className ?? ""}`}
          >
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr
          key={row.id}
          data-entry
          tabIndex={-1}
          className="relative border-b outline-offset-[-2px] has-[.row-target:focus-visible]:bg-raised has-[.row-target]:hover:bg-raised"
        >
          {columns.map(({ cell, className, name }) => (
            <td key={name} className={`h-[37px] truncate px-2 py-1 first:pl-4 last:pr-4 ${className ?? ""}`}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
