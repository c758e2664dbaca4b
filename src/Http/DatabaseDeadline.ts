import { Context, Effect, Exit, Runtime } from "effect"
import { endedBy } from "../Runtime/HotPath.ts"

/** Milliseconds between checks of the database while a request has no answer. */
export class DatabaseDeadline extends Context.Reference<DatabaseDeadline>()("troupe/Http/DatabaseDeadline", {
  defaultValue: () => 6_000
}) {}

/**
 * The work is interrupted but not awaited, since a sent statement can't be. One fiber and timer: it wraps each request.
 */
export const unlessUnavailable = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  isUnavailable: Effect.Effect<boolean>,
  onTimeout: Effect.Effect<A>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.zip(Effect.runtime<R>(), DatabaseDeadline),
    ([runtime, millis]) =>
      endedBy(runtime, work, (end) => {
        let timer: NodeJS.Timeout | undefined
        let isStopped = false
        const wait = () => {
          timer = setTimeout(check, millis)
        }
        const check = () =>
          Runtime.runFork(runtime, isUnavailable).addObserver((found) => {
            if (isStopped) return
            if (Exit.isSuccess(found) && found.value) end(onTimeout)
            else wait()
          })
        wait()
        return () => {
          isStopped = true
          clearTimeout(timer)
        }
      })
  )
