import { Context, Effect, Exit, type Fiber, Runtime } from "effect"

/** Milliseconds between checks of the database while a request has no answer. */
export class DatabaseDeadline extends Context.Reference<DatabaseDeadline>()("troupe/Http/DatabaseDeadline", {
  defaultValue: () => 6_000
}) {}

/**
 * The result of the work, or that of `onTimeout` once the deadline has passed and `isAway` is true. The work is then
 * interrupted but not awaited, because a statement that was sent can't be interrupted. Like `timeLimit`, it needs only
 * one fiber and one timer, since it wraps every request.
 */
export const unlessAway = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  isAway: Effect.Effect<boolean>,
  onTimeout: Effect.Effect<A>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.zip(Effect.runtime<R>(), DatabaseDeadline),
    ([runtime, millis]) =>
      Effect.uninterruptibleMask((restore) => {
        const fiber: Fiber.RuntimeFiber<A, E> = Runtime.runFork(runtime, work)
        const exit = fiber.unsafePoll()
        if (exit !== null) return exit
        let timer: NodeJS.Timeout | undefined
        const end = Effect.async<A, E>((resume) => {
          const wait = () => {
            timer = setTimeout(check, millis)
          }
          const check = () =>
            Runtime.runFork(runtime, isAway).addObserver((found) =>
              fiber.unsafePoll() === null && (Exit.isSuccess(found) && found.value ? resume(onTimeout) : wait())
            )
          fiber.addObserver(resume)
          wait()
        })
        return Effect.onExit(restore(end), () =>
          Effect.sync(() => {
            clearTimeout(timer)
            if (fiber.unsafePoll() === null) fiber.unsafeInterruptAsFork(fiber.id())
          }))
      })
  )
