import { visible } from "@troupe/domain/Compaction"
import { fence } from "@troupe/domain/Fence"
import type { Message, ToolMessage } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"
import { memoized } from "../Runtime/Memoized.ts"

/**
 * The conversation as the model sees it, with content from outside marked as data. Each message is made once, because
 * providers cache what requests have in common.
 */
export const conversationOf = (run: Run): ReadonlyArray<Message> => {
  const messages = visible(run.messages, run.compaction).map(marked)
  const last = messages.at(-1)
  return last?.role === "assistant" && last.tool_calls.length === 0 ? [...messages, continuation] : messages
}

export const continueAnswer = "Your answer was cut off there. Continue it exactly where it stops, and repeat nothing."

const continuation: Message = { role: "user", content: continueAnswer }

const marked = (message: Message): Message =>
  message.role === "user" || message.role === "assistant" ? message : fenced(message)

const fenced = memoized((message: Extract<Message, { role: "system" | "tool" }>): Message => ({
  ...message,
  content: message.role === "system" ? fence("summary", message.content) : resultOf(message)
}))

const humanTool = "ask_human"

export const toolMark = (name: string): string => ` tool="${name.replaceAll(/[^\w.-]/g, "_")}"`

const resultOf = ({ content, name }: ToolMessage): string =>
  name === humanTool ? content : fence("tool_result", content, toolMark(name))
