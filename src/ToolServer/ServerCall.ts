import type { UserId } from "@troupe/domain/Ids"
import type { CallInput } from "@troupe/domain/ServerQuestion"
import { maxCallSeconds } from "@troupe/domain/ToolServer"
import { Clock, Data, Duration, Effect } from "effect"
import type { ServerTool } from "./ServerTool.ts"
import type { ToolServer } from "./ToolServer.ts"

/** How far a call is, as its server says; the message is one line without the server's secrets. */
export interface CallProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export type OnProgress = (progress: CallProgress) => void

/** That a call may ask a person. */
export interface Asking {
  /** Of the call, in all its rounds. */
  readonly id: string
  /** What it asked before, with the answers. */
  readonly input: CallInput | undefined
  /** Runs if nobody has answered in time what a call asks that goes on meanwhile. */
  readonly expired: Effect.Effect<void>
  /** Waits until nobody needs the result any more. */
  readonly cancelled?: Effect.Effect<void>
}

/**
 * Calls a tool with arguments; succeeds with the raw result, which may be that the call asks a person (`requiresInput`). Without
 * `asking`, what a call asks while it goes on is declined. `user`: for whom, where each person signs in.
 */
export type CallTool = (
  tool: ServerTool,
  args: Readonly<Record<string, unknown>>,
  onProgress?: OnProgress,
  asking?: Asking,
  user?: UserId
) => Effect.Effect<Readonly<Record<string, unknown>>, CallFailed>

/**
 * A call failed: the server refused it, it timed out, the connection was lost before the result, or the server did not
 * take it because it had forgotten the session, or because somebody has to sign in first.
 */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly what: "refused" | "timedOut" | "lost" | "untaken" | "unauthorized"
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

/**
 * Reaches a connection and calls over it, all within the limit of the step. A call that was not taken, because the server
 * had forgotten the session, is made once more over the connection that is reached then.
 */
export const callOver = <Connection, A>(
  server: ToolServer,
  { callLimit, callTimeout }: CallTimeouts,
  reach: Effect.Effect<Connection, CallFailed>,
  call: (connection: Connection, timeout: Duration.Duration) => Effect.Effect<A, CallFailed>
): Effect.Effect<A, CallFailed> =>
  Effect.gen(function*() {
    const begun = yield* Clock.currentTimeMillis
    const rest = Effect.map(Clock.currentTimeMillis, (now) => Duration.subtract(callLimit, now - begun))
    const attempt = Effect.gen(function*() {
      const connection = yield* Effect.timeoutFail(reach, {
        duration: yield* rest,
        onTimeout: () => new CallFailed({ what: "refused", reason: notReached(callLimit) })
      })
      return yield* withTimeout(server, { callTimeout, callLimit: yield* rest }, (timeout) => call(connection, timeout))
    })
    const isUntaken = ({ what }: CallFailed) => what === "untaken"
    return yield* attempt.pipe(
      Effect.catchIf(isUntaken, () => attempt),
      Effect.catchIf(isUntaken, ({ reason }) =>
        new CallFailed({ what: "refused", reason: `it refused a new session, too: ${reason}` }))
    )
  })

const notReached = (limit: Duration.Duration): string =>
  `it can't be reached within ${Duration.format(limit)}, which is all that the time-out of the task's step allows`

/** Runs a call with the time-out of its server, or the limit of the step if that is shorter. */
const withTimeout = <A>(
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
