import { Duration, Effect, Option, Schedule, Stream } from "effect"
import { type ChatFailed, chatFailed, type ChatPage } from "../../Chat/ChatPlatform.ts"

const maxRetries = 5
const maxPause = Duration.minutes(2)

const maxPages = 2_000

const isTransient = ({ kind }: ChatFailed) => kind === "rate_limited" || kind === "unavailable"

/**
 * Retries a call that changes nothing while the platform is busy. The pause doubles each time, unless the platform asks
 * for another.
 */
export const retryingWith = (firstPause: Duration.DurationInput) => {
  const pauseOf = ({ retryAfter }: ChatFailed, retries: number) =>
    Option.getOrElse(retryAfter, () => Duration.times(firstPause, 2 ** retries))
  const schedule = Schedule.identity<ChatFailed>().pipe(
    Schedule.intersect(Schedule.recurs(maxRetries)),
    Schedule.addDelay(([failure, retries]) => Duration.min(pauseOf(failure, retries), maxPause))
  )
  return <A>(call: Effect.Effect<A, ChatFailed>): Effect.Effect<A, ChatFailed> =>
    Effect.retry(call, { schedule, while: isTransient })
}

/** All pages of a list, reading ahead. A list without an end fails. */
export const pagesOf = <A>(
  page: (cursor: string | null) => Effect.Effect<ChatPage<A>, ChatFailed>
): Stream.Stream<ReadonlyArray<A>, ChatFailed> => {
  const first: { readonly cursor: string | null; readonly count: number } = { cursor: null, count: 1 }
  return Stream.paginateEffect(first, ({ count, cursor }) =>
    Effect.flatMap(page(cursor), ({ items, next }) => {
      if (next === null) return Effect.succeed([items, Option.none()] as const)
      return count < maxPages && next !== cursor
        ? Effect.succeed([items, Option.some({ cursor: next, count: count + 1 })] as const)
        : Effect.fail(chatFailed("refused", "The chat platform's list did not end within the limit of pages."))
    })).pipe(Stream.buffer({ capacity: 2 }))
}
