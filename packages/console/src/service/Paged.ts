import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Page } from "@troupe/client"

interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

const underWay = 5_000

/** A list by pages. No event tells of its entries: it is read again while `isUnderWay` is true of one that is shown. */
export const pagedQuery = <A>(
  queryKey: ReadonlyArray<unknown>,
  load: (page: PageRequest) => Promise<Page<A>>,
  isUnderWay: (entry: A) => boolean = () => false
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => load({ limit: 100, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isUnderWay)) === true ? underWay : false
  })

/** The pages of a list as one, up to about `most` entries. */
export const wholeList = async <A>(
  limit: number,
  load: (page: PageRequest) => Promise<Page<A>>,
  most = Infinity
): Promise<Page<A>> => {
  let { items, next } = await load({ limit })
  while (next !== null && items.length < most) {
    const more = await load({ limit, cursor: next })
    items = [...items, ...more.items]
    next = more.next
  }
  return { items, next }
}

export const allPages = async <A>(limit: number, load: (page: PageRequest) => Promise<Page<A>>) =>
  (await wholeList(limit, load)).items
