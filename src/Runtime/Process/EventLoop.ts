import { Effect } from "effect"

/** Lets sockets and timers run first, which `Effect.yieldNow` does not. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})
