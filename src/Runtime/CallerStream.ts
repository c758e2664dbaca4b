import { Context, Effect, type Scope } from "effect"

/** Counts the current request as an open stream of its caller until the scope closes; refused at the limit. */
export class CallerStream extends Context.Reference<CallerStream>()("troupe/Runtime/CallerStream", {
  defaultValue: (): { readonly hold: Effect.Effect<void, never, Scope.Scope> } => ({ hold: Effect.void })
}) {}
