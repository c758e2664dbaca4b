import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** A part of a listing, and whether entries follow it. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** One page out of a listing that asked for one entry more than `limit`. */
export const firstOf = <A>(entries: ReadonlyArray<A>, limit: number): Page<A> => ({
  items: entries.slice(0, limit),
  hasMore: entries.length > limit
})

/** A page with a link to the next if there is more. */
export const linkedPage = <A>(
  { hasMore, items }: Page<A>,
  { cursorOf, url }: { readonly url: string; readonly cursorOf: (last: A) => string }
): HttpServerResponse.HttpServerResponse => {
  const last = items.at(-1)
  if (!hasMore || last === undefined) return HttpServerResponse.unsafeJson(items)
  const next = new URL(url, "http://localhost")
  next.searchParams.set("cursor", cursorOf(last))
  return HttpServerResponse.unsafeJson(items, { headers: { link: `<${next.pathname}${next.search}>; rel="next"` } })
}

/** The same for a listing that asked for one entry more than `limit`. */
export const pageResponse = <A>(
  entries: ReadonlyArray<A>,
  { limit, ...link }: { readonly limit: number; readonly url: string; readonly cursorOf: (last: A) => string }
): HttpServerResponse.HttpServerResponse => linkedPage(firstOf(entries, limit), link)

/** The cursor of the next page; null after the last. */
export const nextCursor = <Id extends string>({ hasMore, items }: Page<{ readonly id: Id }>): Id | null =>
  hasMore ? items.at(-1)?.id ?? null : null

/** A page for a procedure, where the next cursor is part of the result. */
export const pageOf = <A extends { readonly id: string }>(entries: ReadonlyArray<A>, limit: number) => {
  const page = firstOf(entries, limit)
  return { items: page.items, next: nextCursor(page) }
}
