import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query"
import type { Page } from "@troupe/client"
import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Loading } from "./Loading.tsx"
import { Problem } from "./Problem.tsx"
import { type Column, Table } from "./Table.tsx"

/** The pages of a list that were loaded, with a way to more. */
export const PagedTable = <A extends { readonly id: string }>({ columns, empty, label, query }: {
  readonly label: string
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<A>>>
  readonly columns: ReadonlyArray<Column<A>>
  /** Shown instead of the table while there is nothing. */
  readonly empty: ReactNode
}) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = query
  const rows = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className="h-full overflow-y-auto">
      {error !== null && (
        <div className="p-3">
          <Problem error={error} title="The list could not be loaded" onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined
        ? error === null && <Loading />
        : rows.length === 0
        ? empty
        : <Table label={label} columns={columns} rows={rows} />}
      {hasNextPage && (
        <div className="flex justify-center p-3">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>Show more</Button>
        </div>
      )}
    </div>
  )
}
