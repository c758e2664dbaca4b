import type { ReactNode } from "react"
import { Button } from "./Button.tsx"

/** Loads the next page of a list; nothing when all is loaded. */
export const MorePages = ({ children, query }: {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  readonly children: ReactNode
}) =>
  query.hasNextPage && (
    <Button
      className="self-center"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {query.isFetchingNextPage ? "Loading …" : children}
    </Button>
  )
