import type { TaskType } from "@troupe/domain/Task"
import { Duration } from "effect"
import { maxCallSecondsOf } from "../ToolServer/CallTimeout.ts"

export interface StepTimeouts {
  readonly parent: Duration.Duration
  readonly subagent: Duration.Duration
}

/** The limits of a call whose arguments set its time-out. */
export interface CallTime {
  readonly maxSeconds: number
  /** When the call is interrupted: after its own limit and before the step's time-out. */
  readonly timeout: Duration.Duration
}

/** The rest of the step is left to stop a call that overruns and to save results. */
export const callTimeOf = (timeouts: StepTimeouts, type: TaskType): CallTime => {
  const stepTimeout = type === "subtask" ? timeouts.subagent : timeouts.parent
  const maxSeconds = maxCallSecondsOf([stepTimeout])
  const rest = Duration.toSeconds(stepTimeout) - maxSeconds
  return { maxSeconds, timeout: Duration.seconds(maxSeconds + Math.min(30, Math.max(1, rest / 2))) }
}
