import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** One page out of a listing that asked for one entry more than `limit`, with a link to the next if there is more. */
export const pageResponse = <A>(
  entries: ReadonlyArray<A>,
  { cursorOf, limit, url }: {
    readonly limit: number
    readonly url: string
    readonly cursorOf: (last: A) => string
  }
): HttpServerResponse.HttpServerResponse => {
  const shown = entries.slice(0, limit)
  const last = shown.at(-1)
  if (entries.length <= limit || last === undefined) return HttpServerResponse.unsafeJson(shown)
  const next = new URL(url, "http://localhost")
  next.searchParams.set("cursor", cursorOf(last))
  return HttpServerResponse.unsafeJson(shown, { headers: { link: `<${next.pathname}${next.search}>; rel="next"` } })
}

/** The same for a procedure, where the next cursor is part of the result. */
export const pageOf = <A extends { readonly id: string }>(entries: ReadonlyArray<A>, limit: number) => {
  const items = entries.slice(0, limit)
  return { items, next: entries.length > limit ? items.at(-1)?.id ?? null : null }
}
