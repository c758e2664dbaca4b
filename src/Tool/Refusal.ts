import { Effect } from "effect"
import type { SandboxRefused } from "../File/SandboxRefused.ts"
import { ToolFailed } from "./Tool.ts"

const advice: Readonly<Record<SandboxRefused["kind"], string>> = {
  name: "Choose another path.",
  missing: "Use list_directory to see what is there.",
  unsafe: "Choose another path; list_directory shows what is there.",
  size: "Do it in smaller parts.",
  quota: "Ask the user to make room.",
  unavailable: "Tell the user about it; repeating the call won't help."
}

/** What the sandbox refused, as an answer that also says what to do instead. */
export const orToolFailed = <A, R>(work: Effect.Effect<A, SandboxRefused, R>): Effect.Effect<A, ToolFailed, R> =>
  Effect.mapError(work, (refused) => new ToolFailed({ reason: `${refused.message} ${advice[refused.kind]}` }))
