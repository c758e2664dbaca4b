import type { SqlError } from "@effect/sql/SqlError"
import { Deferred, Effect, Exit, FiberId, Queue, type Scope } from "effect"

interface Entry<In, Out> {
  readonly item: In
  readonly done: Deferred.Deferred<Out, SqlError>
}

/**
 * Group commit: items that arrive while a write is in flight go together as the next one, so that the number of
 * statements falls as the load rises, and each caller goes on only after the commit of its own item. A group that the
 * database refuses is written again item by item, so that one bad item hurts only itself. `write` answers one output
 * per item, in the order of the items.
 */
export const make = <In, Out>(options: {
  readonly write: (items: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, SqlError>
  readonly maxGroup: number
  /** How many writes may be in flight at a time. */
  readonly writers: number
  /** Whether a failure says that the database refused the statement (as against being out of reach). */
  readonly isRefusal: (error: SqlError) => boolean
}): Effect.Effect<(item: In) => Effect.Effect<Out, SqlError>, never, Scope.Scope> =>
  Effect.gen(function*() {
    // Bounded by the callers: each waits for its own item.
    const queue = yield* Queue.unbounded<Entry<In, Out>>()

    const alone = ({ done, item }: Entry<In, Out>) =>
      Effect.flatMap(
        Effect.exit(Effect.map(options.write([item]), (outputs) => outputs[0] as Out)),
        (exit) => Deferred.done(done, exit)
      )

    const settle = (group: ReadonlyArray<Entry<In, Out>>) =>
      Effect.flatMap(Effect.exit(options.write(group.map((entry) => entry.item))), (exit) => {
        if (Exit.isSuccess(exit)) {
          return Effect.sync(() =>
            group.forEach((entry, index) => Deferred.unsafeDone(entry.done, Effect.succeed(exit.value[index] as Out)))
          )
        }
        const refused = exit.cause._tag === "Fail" && options.isRefusal(exit.cause.error)
        return refused && group.length > 1
          ? Effect.forEach(group, alone, { discard: true })
          : Effect.sync(() => group.forEach((entry) => Deferred.unsafeDone(entry.done, Effect.failCause(exit.cause))))
      })

    const writer = Queue.takeBetween(queue, 1, options.maxGroup).pipe(
      Effect.flatMap((group) => Effect.uninterruptible(settle([...group]))),
      Effect.forever
    )
    for (let index = 0; index < options.writers; index++) yield* Effect.forkScoped(writer)

    return (item: In) =>
      Effect.suspend(() => {
        const done = Deferred.unsafeMake<Out, SqlError>(FiberId.none)
        queue.unsafeOffer({ item, done })
        return Deferred.await(done)
      })
  })
