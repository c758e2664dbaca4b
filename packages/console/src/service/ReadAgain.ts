import type { InvalidateQueryFilters, QueryClient } from "@tanstack/react-query"

/**
 * Reads the data of these queries again, because it has changed. A query that waits for its first answer may get one from before the
 * change, and no later event would correct it: such a query is sent once more after that answer.
 */
export const readAgain = async (cache: QueryClient, filters: InvalidateQueryFilters): Promise<void> => {
  const first = cache.getQueryCache().findAll(filters).filter((query) =>
    query.isActive() && query.state.data === undefined && query.state.fetchStatus === "fetching"
  )
  await cache.invalidateQueries(filters)
  await Promise.all(first.map(({ queryKey }) => cache.invalidateQueries({ queryKey, exact: true })))
}
