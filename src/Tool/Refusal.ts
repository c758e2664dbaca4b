import { Effect } from "effect"
import type { DocumentUnreadable } from "../File/Documents/DocumentUnreadable.ts"
import type { SandboxRefused } from "../File/SandboxRefused.ts"
import { ToolFailed } from "./AgentTool.ts"

const advice: Readonly<Record<SandboxRefused["kind"], string>> = {
  name: "Choose another path.",
  missing: "Use list_directory to see what is there.",
  unsafe: "Choose another path; list_directory shows what is there.",
  size: "Do it in smaller parts.",
  quota: "Ask the user to make room.",
  unavailable: "Tell the user about it; repeating the call won't help."
}

export const orToolFailed = <A, R>(work: Effect.Effect<A, SandboxRefused, R>): Effect.Effect<A, ToolFailed, R> =>
  Effect.mapError(work, (refused) => new ToolFailed({ reason: `${refused.message} ${advice[refused.kind]}` }))

export const orUnreadable = <A>(
  path: string,
  work: Effect.Effect<A, DocumentUnreadable | ToolFailed>
): Effect.Effect<A, ToolFailed> =>
  Effect.catchTag(
    work,
    "DocumentUnreadable",
    ({ reason }) => new ToolFailed({ reason: `${JSON.stringify(path)}: ${reason}` })
  )
