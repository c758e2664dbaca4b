import { maxCallSeconds } from "@troupe/domain/ToolServer"
import { Duration, Effect } from "effect"
import { CallFailed } from "./Connection.ts"
import type { ToolServer } from "./ToolServer.ts"

export interface CallTimeouts {
  /** For servers without a `timeout_seconds`. */
  readonly callTimeout: Duration.Duration
  /** The longest that any call may take, because the step that makes it ends soon after. */
  readonly callLimit: Duration.Duration
}

/** What the time-out of a step leaves for a tool call: the rest is for journalling its result. */
export const callLimitOf = (stepTimeout: Duration.Duration): Duration.Duration => {
  const millis = Duration.toMillis(stepTimeout)
  return Duration.millis(Math.max(millis / 2, millis * 0.9 - 10_000))
}

/** The longest call, in whole seconds, that any of the steps leaves time for. */
export const maxCallSecondsOf = (stepTimeouts: ReadonlyArray<Duration.Duration>): number => {
  const longest = Math.max(...stepTimeouts.map((timeout) => Duration.toSeconds(callLimitOf(timeout))))
  return Math.max(1, Math.min(maxCallSeconds, Math.floor(longest)))
}

/**
 * Runs a call with the time-out of its server, or with what the step leaves if that is shorter. In that case the error
 * of a call that timed out names both.
 */
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
