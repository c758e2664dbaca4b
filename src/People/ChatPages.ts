import { Duration, Effect, Option, Schedule, Stream } from "effect"
import { type ChatFailed, chatFailed, type ChatPage } from "../Wire/ChatPlatform.ts"

/** The pause before a call is repeated doubles each time, unless the platform asks for another. */
export interface CallRetries {
  readonly firstPause: Duration.DurationInput
  readonly maxPause: Duration.DurationInput
}

const maxRepeats = 5

const maxPages = 2_000

const isTransient = ({ kind }: ChatFailed) => kind === "rate_limited" || kind === "unavailable"

/** Repeats a call that changes nothing while the platform is busy. */
export const retryingWith = (retries: CallRetries) => {
  const pauseOf = ({ retryAfter }: ChatFailed, repeats: number) =>
    Option.getOrElse(retryAfter, () => Duration.times(retries.firstPause, 2 ** repeats))
  const schedule = Schedule.identity<ChatFailed>().pipe(
    Schedule.intersect(Schedule.recurs(maxRepeats)),
    Schedule.addDelay(([failure, repeats]) => Duration.min(pauseOf(failure, repeats), retries.maxPause))
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
