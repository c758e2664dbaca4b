import { Cause, type Duration, Effect } from "effect"

/** Repeats the question until the answer fits; dies with the last answer when the time is up. */
export const eventually = <A, E, R>(
  question: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  timeout: Duration.DurationInput = "20 seconds"
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown
    const ask: Effect.Effect<A, E, R> = Effect.flatMap(question, (answer) => {
      last = answer
      return fits(answer) ? Effect.succeed(answer) : Effect.delay(ask, "10 millis")
    })
    return Effect.timeoutFailCause(ask, {
      duration: timeout,
      onTimeout: () => Cause.die(new Error(`Timed out; the last answer was ${JSON.stringify(last)}`))
    })
  })
