import { Duration, Effect, Option, Schedule, Stream } from "effect"
import { type ChatFailed, chatFailed, type ChatPage } from "../Wire/ChatPlatform.ts"

/** The pause before a retry doubles each time, unless the platform asks for another. */
export interface CallRetries {
  readonly firstPause: Duration.DurationInput
  readonly maxPause: Duration.DurationInput
}

const maxRetries = 5

const maxPages = 2_000

const isTransient = ({ kind }: ChatFailed) => kind === "rate_limited" || kind === "unavailable"

/** Retries a call that changes nothing while the platform is busy. */
export const retryingWith = (policy: CallRetries) => {
  const pauseOf = ({ retryAfter }: ChatFailed, retries: number) =>
    Option.getOrElse(retryAfter, () => Duration.times(policy.firstPause, 2 ** retries))
  const schedule = Schedule.identity<ChatFailed>().pipe(
    Schedule.intersect(Schedule.recurs(maxRetries)),
    Schedule.addDelay(([failure, retries]) => Duration.min(pauseOf(failure, retries), policy.maxPause))
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
