import type { InvalidateQueryFilters, QueryClient } from "@tanstack/react-query"

/**
 * Reads the data of these queries again, because it has changed. The first answer of a query that is still on its way may be older
 * than the change, and nothing would tell of it again: such a query is read once more after it.
 */
export const readAgain = async (cache: QueryClient, filters: InvalidateQueryFilters): Promise<void> => {
  const first = cache.getQueryCache().findAll(filters).filter((query) =>
    query.isActive() && query.state.data === undefined && query.state.fetchStatus === "fetching"
  )
  await cache.invalidateQueries(filters)
  await Promise.all(first.map(({ queryKey }) => cache.invalidateQueries({ queryKey, exact: true })))
}
