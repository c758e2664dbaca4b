import type { TaskType } from "@troupe/domain/Task"
import { Duration } from "effect"

/** Time-outs of a step, by the kind of agent that takes it. */
export interface StepTimeouts {
  readonly parent: Duration.Duration
  readonly subagent: Duration.Duration
}

/** How long a call may take whose arguments set a time limit of its own. */
export interface CallTime {
  /** Largest limit, in seconds, that the arguments may set. */
  readonly maxSeconds: number
  /** When the call itself is interrupted: after its limit has had its effect and before the step's time-out. */
  readonly timeout: Duration.Duration
}

/** No call may take longer, however long its step may. */
const maxSeconds = 600

/** A tenth of the step and 10 s more are left for stopping what overran, and for saving results. */
export const callTimeOf = (timeouts: StepTimeouts, type: TaskType): CallTime => {
  const step = Duration.toSeconds(type === "subtask" ? timeouts.subagent : timeouts.parent)
  const seconds = Math.max(1, Math.min(maxSeconds, Math.floor(step * 0.9 - 10)))
  return { maxSeconds: seconds, timeout: Duration.seconds(seconds + Math.min(30, Math.max(1, (step - seconds) / 2))) }
}
