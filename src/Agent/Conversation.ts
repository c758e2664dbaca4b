import { visible } from "@troupe/domain/Compaction"
import { fence } from "@troupe/domain/Fence"
import type { Message, ToolMessage } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"

/**
 * The conversation as it goes to the model: what it sees of it, with everything that comes from outside between marks
 * that the base prompt explains. Each message is made once, so that it is the same text at every call (providers cache
 * what a request has in common with the one before) and costs nothing again.
 */
export const conversationOf = (run: Run): ReadonlyArray<Message> => {
  const messages = visible(run.messages, run.compaction).map(marked)
  const last = messages.at(-1)
  return last?.role === "assistant" && last.tool_calls.length === 0 ? [...messages, continuation] : messages
}

/** Follows an answer that the token budget cut off. */
export const continueAnswer = "Your answer was cut off there. Continue it exactly where it stops, and repeat nothing."

const continuation: Message = { role: "user", content: continueAnswer }

const made = new WeakMap<Message, Message>()

const marked = (message: Message): Message => {
  if (message.role === "user" || message.role === "assistant") return message
  const known = made.get(message)
  if (known !== undefined) return known
  const content = message.role === "system" ? fence("summary", message.content) : resultOf(message)
  const fenced = { ...message, content }
  made.set(message, fenced)
  return fenced
}

/** The tool whose result is the word of a human whom the agent asked: no data, but what to go by. */
const humansWord = "ask_human"

/** Says in a mark which tool it is about. */
export const toolMark = (name: string): string => ` tool="${name.replaceAll(/[^\w.-]/g, "_")}"`

/** Even an error may quote a text from outside, so nothing is told apart by how it begins. */
const resultOf = ({ content, name }: ToolMessage): string =>
  name === humansWord ? content : fence("tool_result", content, toolMark(name))
