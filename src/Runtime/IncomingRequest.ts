import { ProblemError } from "@troupe/api/Problem"
import { Context, Effect, type Scope } from "effect"

/** What an endpoint needs of the current request that takes bodies of any type, or limits its callers by itself. */
export class IncomingRequest extends Context.Reference<IncomingRequest>()("troupe/Runtime/IncomingRequest", {
  defaultValue: (): {
    readonly address: string
    /** The bytes as they were sent, once. Larger bodies are 413, slow ones 408, and those cut short 400. */
    readonly body: (maxBytes: number) => Effect.Effect<Uint8Array, ProblemError>
    /** Counts it against the rate limit of its address, unless it was counted. */
    readonly count: Effect.Effect<void>
    /** Counts it as an open stream of its caller until the scope closes; refused at the limit. */
    readonly holdStream: Effect.Effect<void, never, Scope.Scope>
  } => ({
    address: "",
    body: () => Effect.fail(ProblemError.of("internal", "There is no request.")),
    count: Effect.void,
    holdStream: Effect.void
  })
}) {}
