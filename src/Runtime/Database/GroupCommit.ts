import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit, Fiber, Runtime, type Scope } from "effect"
import { bareRuntime } from "../HotPath.ts"

interface Entry<In, Out, E> {
  readonly item: In
  readonly done: (exit: Exit.Exit<Out, E>) => void
}

export interface GroupCommit<In, Out, E> {
  readonly commit: (item: In) => Effect.Effect<Out, E>
  /** As `commit`, for a caller that has no fiber waiting. */
  readonly submit: (item: In, done: (exit: Exit.Exit<Out, E>) => void) => void
}

/**
 * Items that arrive in one turn of the event loop, or during a write, are written together. A failed group is written
 * item by item. Callbacks instead of fibers: this lies on the path of each step of each task.
 */
export const make = <In, Out, E = SqlError>(options: {
  readonly write: (items: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, E>
  readonly maxGroup: number
  /** Maximum total weight of a group; a heavier item is written alone. No limit by default. */
  readonly maxWeight?: number
  readonly weigh?: (item: In) => number
  readonly writers: number
  /** Whether a failure says that the database refused the statement (rather than being unavailable). */
  readonly isRefusal: (error: E) => boolean
}): Effect.Effect<GroupCommit<In, Out, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const runFork = Runtime.runFork(yield* bareRuntime)
    const writes = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
    // Bounded by the callers: each waits for its own item.
    let waiting: Array<Entry<In, Out, E>> = []
    let isPlanned = false
    let freeWriters = options.writers

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

    const settle = (group: ReadonlyArray<Entry<In, Out, E>>, settled: () => void): void => {
      const fiber = runFork(options.write(group.map(({ item }) => item)))
      writes.add(fiber)
      fiber.addObserver((exit) => {
        writes.delete(fiber)
        const isBad = Exit.isFailure(exit) && (exit.cause._tag !== "Fail" || options.isRefusal(exit.cause.error))
        if (isBad && group.length > 1) return settleEach(group, settled)
        group.forEach(({ done }, index) =>
          done(Exit.isSuccess(exit) ? Exit.succeed(exit.value[index] as Out) : Exit.failCause(exit.cause))
        )
        settled()
      })
    }

    const settleEach = ([entry, ...others]: ReadonlyArray<Entry<In, Out, E>>, settled: () => void): void =>
      entry === undefined ? settled() : settle([entry], () => settleEach(others, settled))

    const plan = () => {
      if (isPlanned || waiting.length === 0 || freeWriters === 0) return
      isPlanned = true
      setImmediate(() => {
        isPlanned = false
        const size = sizeOfGroup()
        const group = waiting.slice(0, size)
        waiting = waiting.slice(size)
        freeWriters -= 1
        settle(group, () => {
          freeWriters += 1
          plan()
        })
        plan()
      })
    }

    yield* Effect.addFinalizer(() => Effect.suspend(() => Fiber.awaitAll(writes)))

    const submit: GroupCommit<In, Out, E>["submit"] = (item, done) => {
      waiting.push({ item, done })
      plan()
    }
    return { submit, commit: (item) => Effect.async((resume) => submit(item, resume)) }
  })
