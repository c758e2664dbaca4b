import { plural } from "@troupe/domain/Text"
import { Duration, Effect, Predicate } from "effect"
import { maxTools } from "./ServerTool.ts"

const maxPages = 50

/** Asks for the page at this cursor; fails with the reason. */
export type ReadPage = (cursor?: string | number) => Effect.Effect<Readonly<Record<string, unknown>>, string>

/** What a server lists as its tools, unchecked. */
export interface ToolPages {
  readonly listed: ReadonlyArray<unknown>
  /** Why it is not all. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Reads the pages of a list, the first one within the limit and the others within the same time. Only a first page that
 * fails fails the list: of the others, the pages that were read count.
 */
export const readPages = (page: ReadPage, limit: Duration.Duration): Effect.Effect<ToolPages, string> => {
  let listed: ReadonlyArray<unknown> = []
  const warnings: Array<string> = []
  const known = new Set<string>()
  const cursors = new Set<string | number>()
  let pages = 0

  /** The cursor of the next page, if there is one and it may be read. */
  const take = ({ nextCursor, tools }: Readonly<Record<string, unknown>>): string | number | null => {
    pages++
    const warn = (what: string) => {
      warnings.push(`${what}; ${pages === 1 ? "the tools of its first page" : `the tools of ${pages} pages`} are used`)
      return null
    }
    const given: ReadonlyArray<unknown> = Array.isArray(tools) ? tools : []
    if (!Array.isArray(tools)) warnings.push(`page ${pages} of its tools has no list of them`)
    const isNew = given.some((tool) => !known.has(nameIn(tool)))
    for (const tool of given) known.add(nameIn(tool))
    listed = listed.concat(given)
    // Some servers write "" for "no more"; to others it is a cursor like any other, so that it is tried once.
    if (Predicate.isNullable(nextCursor) || (nextCursor === "" && cursors.has(""))) return null
    if (!Predicate.isString(nextCursor) && !Predicate.isNumber(nextCursor)) {
      return warn("the cursor of its list is no text")
    }
    if (listed.length > maxTools) return null
    if (pages >= maxPages) return warn(`its list has more than ${maxPages} pages`)
    if (cursors.has(nextCursor)) return warn("its list names the same next page again and again")
    if (given.length > 0 && !isNew) return warn("its list repeats the same tools again and again")
    cursors.add(nextCursor)
    return nextCursor
  }

  const read = (cursor: string | number): Effect.Effect<Readonly<Record<string, unknown>> | null> =>
    page(cursor).pipe(
      Effect.catchIf(() => Predicate.isNumber(cursor), () => page(String(cursor))),
      Effect.catchAll((reason) => {
        if (cursor !== "") warnings.push(`page ${pages + 1} of its tools could not be read: ${reason}`)
        return Effect.succeed(null)
      })
    )
  const others = (first: string | number | null) =>
    Effect.gen(function*() {
      let cursor = first
      while (cursor !== null) {
        const next = yield* read(cursor)
        cursor = next === null ? null : take(next)
      }
    })

  return page().pipe(
    Effect.timeoutFail({ duration: limit, onTimeout: () => `no answer within ${Duration.format(limit)}` }),
    Effect.flatMap((first) =>
      Effect.timeoutTo(others(take(first)), {
        duration: limit,
        onSuccess: () => {},
        onTimeout: () => {
          warnings.push(
            `after ${plural(pages, "page")} of its tools, the others took more than ${Duration.format(limit)}`
          )
        }
      })
    ),
    Effect.map(() => ({ listed, warnings }))
  )
}

const nameIn = (tool: unknown): string =>
  Predicate.hasProperty(tool, "name") && Predicate.isString(tool.name) ? tool.name : ""
