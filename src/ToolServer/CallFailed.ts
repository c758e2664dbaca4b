import { Data } from "effect"

/** A call failed: the server refused it, it timed out, or the connection was lost before the answer. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly what: "refused" | "timedOut" | "lost"
  readonly reason: string
}> {}
