import { Context, Effect, type Scope } from "effect"

/**
 * Counts the current request among the open streams of its caller until the scope closes, because it waits as they do.
 * At the limit of streams it is refused.
 */
export class CallerStream extends Context.Reference<CallerStream>()("troupe/Runtime/CallerStream", {
  defaultValue: (): { readonly hold: Effect.Effect<void, never, Scope.Scope> } => ({ hold: Effect.void })
}) {}
