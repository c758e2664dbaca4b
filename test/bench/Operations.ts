// Counts the operations of all fibers: their scheduler is asked before each whether the fiber shall yield.
import { Effect, FiberRef, Scheduler } from "effect"
import type { Stage } from "./Protocol.ts"

const stage = FiberRef.unsafeMake<Stage>("rest")

const fresh = (): Record<Stage, number> => ({
  submit: 0,
  claim: 0,
  loop: 0,
  model: 0,
  tools: 0,
  journal: 0,
  rest: 0
})

let counted = fresh()

let isCounting = false

/** The operations that `staged` itself takes, those that count as the caller's and those that count as the stage's. */
let own = { outside: 0, inside: 0 }

export const startCounting = (): void => {
  isCounting = true
  for (const scheduler of [Scheduler.MixedScheduler.prototype, Scheduler.SyncScheduler.prototype]) {
    const { shouldYield } = scheduler
    scheduler.shouldYield = (fiber) => {
      counted[fiber.getFiberRef(stage)] += 1
      return shouldYield.call(scheduler, fiber)
    }
  }
  Effect.runFork(staged("model", Effect.void))
  const { model, rest } = takeCounts()
  own = { outside: rest, inside: model - 1 }
}

export const takeCounts = (): Readonly<Record<Stage, number>> => {
  const taken = counted
  counted = fresh()
  return taken
}

/** Counts the operations of an effect, and of the fibers that it starts, as those of a stage. */
export const staged = <A, E, R>(name: Stage, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  !isCounting ? effect : Effect.withFiberRuntime((fiber) => {
    counted[fiber.getFiberRef(stage)] -= own.outside
    counted[name] -= own.inside
    return Effect.locally(effect, stage, name)
  })

/** The result of an effect with something measured in it, which counts no operation. */
export const measuring = <A, B, E, R>(effect: Effect.Effect<A, E, R>, measured: (result: A) => B) =>
  !isCounting ?
    Effect.map(effect, measured) :
    Effect.flatMap(effect, (result) =>
      Effect.withFiberRuntime<B>((fiber) => {
        counted[fiber.getFiberRef(stage)] -= 3
        return Effect.succeed(measured(result))
      }))

/** Counts all that this fiber does from here on as operations of a stage, unless it has one. */
export const becomes = <A, E, R>(name: Stage, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  !isCounting ? effect : Effect.withFiberRuntime((fiber) => {
    const before = fiber.getFiberRef(stage)
    counted[before] -= 1
    if (before !== "rest") return effect
    counted.rest -= 2
    return Effect.zipRight(FiberRef.set(stage, name), effect)
  })

/** The stage of the fibers that send these statements. */
export const stageOf = (statement: string): Stage | null =>
  statement.startsWith("journal_append")
    ? "journal"
    : statement.startsWith("tasks_insert")
    ? "submit"
    : statement === "claims_candidates" || statement === "claims_take"
    ? "claim"
    : null
