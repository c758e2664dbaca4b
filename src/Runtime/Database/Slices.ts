import { Duration, Effect } from "effect"

/**
 * Repeats work that others can wait for, slice by slice while there is `more`. It rests nineteen times as long as a slice took, so
 * that it takes at most a twentieth of what one connection can do, and less of a busy database.
 */
export const inSlices = <A, E, R>(
  slice: Effect.Effect<A, E, R>,
  more: (result: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.timed(slice).pipe(
    Effect.tap(([time, result]) => Effect.when(Effect.sleep(Duration.times(time, 19)), () => more(result))),
    Effect.map(([, result]) => result),
    Effect.repeat({ while: more })
  )
