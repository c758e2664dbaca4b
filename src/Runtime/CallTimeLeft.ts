import { Context, Effect } from "effect"

/** Milliseconds that remain for a call, so that it fails with its own reason before its step is interrupted. */
export class CallTimeLeft extends Context.Reference<CallTimeLeft>()("troupe/Runtime/CallTimeLeft", {
  defaultValue: () => () => Number.POSITIVE_INFINITY
}) {}

/** For work that others wait for too or that goes on in the background: the limit of who started it is not its own. */
export const withoutCallLimit = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CallTimeLeft, () => Number.POSITIVE_INFINITY)
