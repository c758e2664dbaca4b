import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query"
import type { Page } from "@troupe/client"
import type { ReactNode } from "react"
import { leaving } from "../service/Leaving.ts"
import { Loaded } from "./Loaded.tsx"
import { MorePages } from "./MorePages.tsx"
import { type Column, Table } from "./Table.tsx"

/** The pages of a list that were loaded, with a way to more. */
export const PagedTable = <A extends { readonly id: string }>({ columns, empty, footer, label, leavingAs, query }: {
  readonly label: string
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<A>>>
  readonly columns: ReadonlyArray<Column<A>>
  /** Shown instead of the table while there is nothing. */
  readonly empty: ReactNode
  /** What follows the last row. */
  readonly footer?: ReactNode
  /** What the keys of its entries in `leaving` begin with, where entries can be deleted. */
  readonly leavingAs?: string
}) => {
  const gone = leaving.use()
  const rows = (query.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ id }) =>
    !gone.has(`${leavingAs}.${id}`)
  )
  return (
    <div
      className="h-full overflow-y-auto outline-offset-[-2px]"
      tabIndex={0}
      role="group"
      aria-label={`List: ${label}`}
    >
      <Loaded errorLook="p-3" name="list" query={query}>
        {() => rows.length === 0 ? empty : <Table label={label} columns={columns} rows={rows} />}
      </Loaded>
      {query.hasNextPage && (
        <div className="flex justify-center p-3">
          <MorePages query={query}>Show more</MorePages>
        </div>
      )}
      {footer}
    </div>
  )
}
