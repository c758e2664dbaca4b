import { maxCallSeconds } from "@troupe/domain/ToolServer"
import { Data, Duration, Effect } from "effect"
import type { ServerTool } from "./ServerTool.ts"
import type { ToolServer } from "./ToolServer.ts"

/** How far a call is, as its server says; the message is one line without the server's secrets. */
export interface CallProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export type OnProgress = (progress: CallProgress) => void

/** Calls a tool with arguments; succeeds with the raw result. */
export type CallTool = (
  tool: ServerTool,
  args: Readonly<Record<string, unknown>>,
  onProgress?: OnProgress
) => Effect.Effect<Readonly<Record<string, unknown>>, CallFailed>

/** A call failed: the server refused it, it timed out, or the connection was lost before the result. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly what: "refused" | "timedOut" | "lost"
  readonly reason: string
}> {}

export interface CallTimeouts {
  readonly callTimeout: Duration.Duration
  readonly callLimit: Duration.Duration
}

/** The time-outs of the steps that make calls; no call lasts longer. */
export interface StepTimeouts {
  readonly parent: Duration.Duration
  readonly subagent: Duration.Duration
}

/** The part of a step's time-out that a tool call may take; the rest is for saving its result. */
export const callLimitOf = (stepTimeout: Duration.Duration): Duration.Duration => {
  const millis = Duration.toMillis(stepTimeout)
  return Duration.millis(Math.max(millis / 2, millis * 0.9 - 10_000))
}

/** Maximum duration of a call, in whole seconds, in the longest of the steps. */
export const maxCallSecondsOf = (stepTimeouts: ReadonlyArray<Duration.Duration>): number => {
  const longest = Math.max(...stepTimeouts.map((timeout) => Duration.toSeconds(callLimitOf(timeout))))
  return Math.max(1, Math.min(maxCallSeconds, Math.floor(longest)))
}

/** Runs a call with the time-out of its server, or the limit of the step if that is shorter. */
export const withTimeout = <A>(
  server: ToolServer,
  { callLimit, callTimeout }: CallTimeouts,
  call: (timeout: Duration.Duration) => Effect.Effect<A, CallFailed>
): Effect.Effect<A, CallFailed> => {
  const configured = server.timeoutSeconds === null ? callTimeout : Duration.seconds(server.timeoutSeconds)
  if (Duration.lessThanOrEqualTo(configured, callLimit)) return call(configured)
  return Effect.mapError(call(callLimit), (failure) =>
    failure.what === "timedOut"
      ? new CallFailed({
        what: failure.what,
        reason: `${failure.reason}, which is all that the time-out of the task's step allows `
          + `(the time-out of the server is ${Duration.format(configured)})`
      })
      : failure)
}
