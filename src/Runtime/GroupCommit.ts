import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit, type Scope } from "effect"

interface Entry<In, Out, E> {
  readonly item: In
  readonly resume: (result: Effect.Effect<Out, E>) => void
}

/** Items that arrive during a write are written together by the next one; a failed group is written item by item. */
export const make = <In, Out, E = SqlError>(options: {
  readonly write: (items: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, E>
  readonly maxGroup: number
  /** Maximum total weight of a group; a heavier item is written alone. No limit by default. */
  readonly maxWeight?: number
  readonly weigh?: (item: In) => number
  readonly writers: number
  /** Whether a failure says that the database refused the statement (rather than being unavailable). */
  readonly isRefusal: (error: E) => boolean
}): Effect.Effect<(item: In) => Effect.Effect<Out, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    // Bounded by the callers: each waits for its own item.
    let waiting: Array<Entry<In, Out, E>> = []
    const arrival = yield* Effect.makeLatch(false)

    const sizeOfGroup = () => {
      const { maxGroup, maxWeight = Infinity, weigh = () => 0 } = options
      let size = 0
      let weight = 0
      for (const { item } of waiting) {
        weight += weigh(item)
        if (size === maxGroup || (size > 0 && weight > maxWeight)) break
        size += 1
      }
      return size
    }

    const answer = (group: ReadonlyArray<Entry<In, Out, E>>, exit: Exit.Exit<ReadonlyArray<Out>, E>) =>
      Effect.sync(() =>
        group.forEach(({ resume }, index) =>
          resume(Exit.isSuccess(exit) ? Effect.succeed(exit.value[index] as Out) : Effect.failCause(exit.cause))
        )
      )

    const settle = (group: ReadonlyArray<Entry<In, Out, E>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(options.write(group.map(({ item }) => item))), (exit) => {
        const isBad = Exit.isFailure(exit) && (exit.cause._tag !== "Fail" || options.isRefusal(exit.cause.error))
        return isBad && group.length > 1
          ? Effect.forEach(group, (entry) => settle([entry]), { discard: true })
          : answer(group, exit)
      })

    const turn = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(arrival.await), () => {
        const size = sizeOfGroup()
        const group = waiting.slice(0, size)
        waiting = waiting.slice(size)
        if (waiting.length === 0) arrival.unsafeClose()
        return group.length === 0 ? Effect.void : settle(group)
      })
    )
    for (let index = 0; index < options.writers; index++) yield* Effect.forkScoped(Effect.forever(turn))

    return (item: In) =>
      Effect.async<Out, E>((resume) => {
        waiting.push({ item, resume })
        arrival.unsafeOpen()
      })
  })
