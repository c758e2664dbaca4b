import { Cause, type Duration, Effect, Fiber, Option, TestClock } from "effect"

/** Milliseconds until the next question: each costs this process time, so that those of a long wait are asked less often. */
const next = (pause: number) => Math.min(pause * 1.15, 100)

/** Repeats the question until the answer fits; dies with the last answer when the time is up. */
export const eventually = <A, E, R>(
  question: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  timeout: Duration.DurationInput = "40 seconds"
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown
    const ask = (pause: number): Effect.Effect<A, E, R> =>
      Effect.flatMap(question, (answer) => {
        last = answer
        return fits(answer) ? Effect.succeed(answer) : Effect.delay(ask(next(pause)), pause)
      })
    return Effect.timeoutFailCause(ask(10), {
      duration: timeout,
      onTimeout: () => Cause.die(new Error(`Timed out; the last answer was ${JSON.stringify(last)}`))
    })
  })

/** Runs work by the TestClock, which advances by `step` after each 10 ms of real time. Returns how often it did. */
export const advancing = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  step: Duration.DurationInput
): Effect.Effect<readonly [result: A, steps: number], E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(work)
    let steps = 0
    while (Option.isNone(yield* Fiber.poll(fiber))) {
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
      yield* TestClock.adjust(step)
      steps++
    }
    return [yield* Fiber.join(fiber), steps]
  })
