import type { TaskStatus } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"

/** What a message is, before its text is read. */
export interface RouteInput {
  /** To us, and seen by nobody else. */
  readonly isDirect: boolean
  readonly isMention: boolean
  readonly isInThread: boolean
  /** Whether the sender belongs to the team; where nobody signs in, everybody does. */
  readonly isMember: boolean
  /** The task of its conversation. */
  readonly task: { readonly status: TaskStatus; readonly mayChange: boolean } | null
}

/**
 * `keep`: it is not for us, but part of what is said in the channel. `steer`: it reaches the agent at work.
 * `refuseAnswer`: the question is for others.
 */
export type Route = "answer" | "continue" | "keep" | "new" | "refuseAnswer" | "refuseNonMember" | "steer"

export const routeOf = ({ isDirect, isInThread, isMember, isMention, task }: RouteInput): Route => {
  const isAddressed = isDirect || isMention
  if (!isMember) return isAddressed ? "refuseNonMember" : "keep"
  const otherwise = isAddressed ? "new" : "keep"
  if (task === null) return otherwise
  if (task.status === "waiting_input") return task.mayChange ? "answer" : isAddressed ? "refuseAnswer" : "keep"
  // A direct message that is in no thread belongs to no task that does not ask.
  if (!isInThread) return otherwise
  if (isTerminal(task.status)) return "continue"
  return isMention || !task.mayChange ? otherwise : "steer"
}
