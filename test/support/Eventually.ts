import { Cause, type Duration, Effect } from "effect"

/** Asks until the answer fits; dies with the last answer where it never does. */
export const eventually = <A, E, R>(
  question: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  patience: Duration.DurationInput = "20 seconds"
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown
    const ask: Effect.Effect<A, E, R> = Effect.flatMap(question, (answer) => {
      last = answer
      return fits(answer) ? Effect.succeed(answer) : Effect.delay(ask, "10 millis")
    })
    return Effect.timeoutFailCause(ask, {
      duration: patience,
      onTimeout: () => Cause.die(new Error(`It never came to that; at last it was ${JSON.stringify(last)}`))
    })
  })
