import { Effect, type Schedule } from "effect"

/** As `Effect.retry`, whose preparations cost as much as a statement: they are made once an attempt has failed. */
export const retryLater = <A, E, R, R2>(
  attempt: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<unknown, E, R2>
): Effect.Effect<A, E, R | R2> =>
  Effect.catchAll(attempt, (failed) => {
    let next: Effect.Effect<A, E, R> = Effect.fail(failed)
    return Effect.retry(
      Effect.suspend(() => {
        const current = next
        next = attempt
        return current
      }),
      schedule
    )
  })
