import { Context, Effect, Exit, type Fiber, Runtime } from "effect"

/** Milliseconds after which a request that is not answered looks whether the database answers at all. */
export class Patience extends Context.Reference<Patience>()("troupe/Http/Patience", { defaultValue: () => 6_000 }) {}

/**
 * The result of the work; or, once it has taken longer than the patience and `isAway` says that it would take longer
 * still, that of `late`. The work is then interrupted, but not waited for: a statement that was sent can't be. Like
 * `timeLimit`, with one fiber and one timer, because every request pays for it.
 */
export const unlessAway = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  isAway: Effect.Effect<boolean>,
  late: Effect.Effect<A>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.zip(Effect.runtime<R>(), Patience),
    ([runtime, millis]) =>
      Effect.uninterruptibleMask((restore) => {
        const fiber: Fiber.RuntimeFiber<A, E> = Runtime.runFork(runtime, work)
        const exit = fiber.unsafePoll()
        if (exit !== null) return exit
        let timer: NodeJS.Timeout | undefined
        const end = Effect.async<A, E>((resume) => {
          const wait = () => {
            timer = setTimeout(look, millis)
          }
          const look = () =>
            Runtime.runFork(runtime, isAway).addObserver((found) =>
              fiber.unsafePoll() === null && (Exit.isSuccess(found) && found.value ? resume(late) : wait())
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
