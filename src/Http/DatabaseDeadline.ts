import { Context, Effect, Exit, type Fiber, Runtime } from "effect"

/** Milliseconds between two checks, while a request is not answered, whether the database answers at all. */
export class DatabaseDeadline extends Context.Reference<DatabaseDeadline>()("troupe/Http/DatabaseDeadline", {
  defaultValue: () => 6_000
}) {}

/**
 * The result of the work; or, once it has taken longer than the deadline and `isAway` says that it would take longer
 * still, that of `onTimeout`. The work is then interrupted, but not waited for: a statement that was sent can't be. Like
 * `timeLimit`, with one fiber and one timer, because every request pays for it.
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
