import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { defaultLimit } from "@troupe/api/Listing"
import { Array, Effect, identity, Option } from "effect"

export interface Page<A, Position = string> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  /** Where a search has ended that has found fewer than a page: the next page begins there. */
  readonly end?: Position | null
}

/** The entries of a list after `cursor`, the position of one of them; none: from the first one on. */
export interface PageRequest<Position> {
  readonly limit: number
  readonly cursor: Option.Option<Position>
}

/** The id before which a list begins that has the newest entries first. */
export const idBefore = (cursor: Option.Option<string>): string =>
  Option.getOrElse(cursor, () => "ffffffff-ffff-ffff-ffff-ffffffffffff")

export interface PagedRead<A, Position, E, R> {
  readonly read: (page: PageRequest<Position>) => Effect.Effect<ReadonlyArray<A>, E, R>
  readonly positionOf: (entry: A) => Position
  /** Entries in memory at a time beyond those of the page: more where they are short, and a page is expensive. */
  readonly entriesAtOnce?: number
}

/** Bytes of JSON after which a page ends, so that the largest page fits into memory many times. */
const pageBytes = 4_000_000

const defaultEntries = 100

interface PageQuery<Position> {
  readonly limit?: number | undefined
  readonly cursor?: Position | undefined
}

/** A page of at most `limit` entries; fewer, and at least one, where they are long. */
export const readPage = <A, Position, E, R>(
  { cursor, limit = defaultLimit }: PageQuery<Position>,
  { entriesAtOnce = defaultEntries, positionOf, read }: PagedRead<A, Position, E, R>
): Effect.Effect<Page<A>, E, R> =>
  Effect.gen(function*() {
    const items: Array<A> = []
    let bytes = 0
    let position: Option.Option<Position> = cursor === undefined ? Option.none() : Option.some(cursor)
    while (true) {
      const wanted = Math.min(entriesAtOnce, limit - items.length)
      const found = yield* read({ limit: wanted + 1, cursor: position })
      for (const entry of found.slice(0, wanted)) {
        bytes += Buffer.byteLength(JSON.stringify(entry))
        if (items.length > 0 && bytes > pageBytes) return { items, hasMore: true }
        items.push(entry)
        position = Option.some(positionOf(entry))
      }
      if (found.length <= wanted) return { items, hasMore: false }
      if (items.length === limit) return { items, hasMore: true }
    }
  })

export const linkedPage = <A>(
  { end, hasMore, items }: Page<A>,
  { cursorOf, url }: { readonly url: string; readonly cursorOf: (last: A) => string }
): HttpServerResponse.HttpServerResponse => {
  const cursor = end ?? Option.getOrNull(Option.map(Array.last(items), cursorOf))
  if (!hasMore || cursor === null) return HttpServerResponse.unsafeJson(items)
  const next = new URL(url, "http://localhost")
  next.searchParams.set("cursor", cursor)
  return HttpServerResponse.unsafeJson(items, { headers: { link: `<${next.pathname}${next.search}>; rel="next"` } })
}

export const pageResponse = <A, Position, E, R>(
  { query, url }: { readonly url: string; readonly query: PageQuery<Position> },
  { encode, ...listing }: PagedRead<A, Position, E, R> & { readonly encode: (position: Position) => string }
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.map(
    readPage(query, listing),
    (page) => linkedPage(page, { url, cursorOf: (last) => encode(listing.positionOf(last)) })
  )

/** A page of entries that are listed in the order of their ids. */
export const pageById = <Id extends string, A extends { readonly id: Id }, E, R>(
  { request: { url }, urlParams: query }: {
    readonly request: { readonly url: string }
    readonly urlParams: PageQuery<Id>
  },
  read: PagedRead<A, Id, E, R>["read"]
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  pageResponse({ url, query }, { read, positionOf: ({ id }) => id, encode: identity })

export const nextCursor = <Id extends string>({ end, hasMore, items }: Page<{ readonly id: Id }, Id>): Id | null =>
  hasMore ? end ?? items.at(-1)?.id ?? null : null
