import type { TaskStatus } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Option } from "effect"
import type { MessageEvent } from "../../Chat/ChatEvent.ts"
import { mentionedIn } from "../../Chat/ChatText.ts"
import { unquoted } from "./TimedRequest.ts"

export interface RouteInput {
  /** Direct message to the bot. */
  readonly isDirect: boolean
  readonly isMention: boolean
  /** Whether the sender is a member of the team; self-hosted, everybody is. */
  readonly isMember: boolean
  /**
   * The task of its thread; of a direct message outside of one, the task that waits for an answer, else the sender's last one,
   * for an hour. None for a message that asks for a new one.
   */
  readonly task: {
    readonly status: TaskStatus
    readonly mayChange: boolean
    /** Whether the message would decide the approval that it asks for. */
    readonly isDecided: boolean
  } | null
}

/**
 * `keep`: it is stored as context of the channel. `steer`: the running agent reads it. `refuseAnswer`: the question is
 * for others.
 */
export type Route = "answer" | "continue" | "keep" | "new" | "refuseAnswer" | "refuseNonMember" | "steer"

export const routeOf = ({ isDirect, isMember, isMention, task }: RouteInput): Route => {
  const isAddressed = isDirect || isMention
  if (!isMember) return isAddressed ? "refuseNonMember" : "keep"
  const otherwise = isAddressed ? "new" : "keep"
  if (task === null) return otherwise
  if (task.status === "waiting_input") {
    return task.mayChange
      ? "answer"
      : isAddressed || task.isDecided
      ? "refuseAnswer"
      : "keep"
  }
  if (isTerminal(task.status)) return "continue"
  return isMention || !task.mayChange ? otherwise : "steer"
}

/** The platform sends a mention twice, with and without its own mark: both count. */
export const isMention = ({ isDirect, isMention, text }: MessageEvent, ourselves: ReadonlyArray<string>): boolean =>
  isMention || (!isDirect && mentionedIn(text).users.some((id) => ourselves.includes(id)))

const anew = /^[\s*_`]*new(?: task)?[*_`]*\s*[:：][\s*_`]*/i

/** What follows `new:`, with which a message begins that is not about the task before it. */
export const requestAnew = (text: string): Option.Option<string> => {
  const words = unquoted(text)
  return anew.test(words) ? Option.some(words.replace(anew, "")) : Option.none()
}
