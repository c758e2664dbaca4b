import { ProblemError } from "@troupe/api/Problem"
import { Context, Effect } from "effect"

/** What an endpoint needs of the current request that takes bodies of any type, or limits its callers by itself. */
export class IncomingRequest extends Context.Reference<IncomingRequest>()("troupe/Runtime/IncomingRequest", {
  defaultValue: (): {
    readonly address: string
    /** The bytes as they were sent, once. Larger bodies are 413, slow ones 408, and those cut short 400. */
    readonly body: (maxBytes: number) => Effect.Effect<Uint8Array, ProblemError>
  } => ({
    address: "",
    body: () => Effect.fail(ProblemError.of("internal", "There is no request."))
  })
}) {}
