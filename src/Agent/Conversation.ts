import { visible } from "@troupe/domain/Compaction"
import type { Message, ToolMessage } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"
import { headOf, markedData } from "@troupe/domain/Text"
import { memoized } from "../Runtime/Cache.ts"
import { askHuman } from "../Tool/ParkingTools.ts"

/**
 * The conversation as the model sees it, with content from outside marked as data. Each message is made once, because
 * providers cache what requests have in common.
 */
export const conversationOf = (run: Run): ReadonlyArray<Message> => {
  const messages = visible(run.messages, run.compaction).map(marked)
  const last = messages.at(-1)
  const begun = last?.role === "assistant" && last.tool_calls.length === 0 ? [...messages, continuation] : messages
  if (run.again === null) return begun
  const { message, reason } = run.again
  return [...begun, ...(message.content.trim() === "" ? [] : [message]), hints[reason]]
}

export const namesImages = (message: Message): boolean => message.role === "user" && message.images !== undefined

export const continueAnswer = "Your answer was cut off there. Continue it exactly where it stops, and repeat nothing."

const continuation: Message = { role: "user", content: continueAnswer }

const hints: Readonly<Record<NonNullable<Run["again"]>["reason"], Message>> = {
  call: {
    role: "user",
    content:
      "[Note from the system]\nThe text of your last message has a tool call in it, which was not run. Call a tool "
      + "only by the tool calls of the API, never in a text. If it is a part of your answer, write the answer again with it "
      + "in a code block and a sentence after that."
  },
  empty: {
    role: "user",
    content: "[Note from the system]\nYour last message was empty. Write your answer now, or call a tool."
  }
}

const marked = (message: Message): Message =>
  message.role === "user" || message.role === "assistant" ? message : asMarkedData(message)

const asMarkedData = memoized((message: Extract<Message, { role: "system" | "tool" }>): Message => ({
  ...message,
  content: message.role === "system" ? markedData("summary", message.content) : resultOf(message)
}))

const toolMark = (name: string): string => ` tool="${name.replaceAll(/[^\w.-]/g, "_")}"`

const resultOf = ({ content, name }: ToolMessage): string =>
  name === askHuman.name ? content : markedData("tool_result", content, toolMark(name))

export const transcriptOf = (messages: ReadonlyArray<Message>, characters: number): string => {
  const parts = messages.flatMap(partsOf)
  const limit = shareOf(parts.map((part) => part.text.length), characters)
  const texts = parts.map(({ label, text, tool }) =>
    markedData(label, cut(text, limit), tool === undefined ? "" : toolMark(tool))
  )
  return markedData("conversation", texts.join("\n\n"))
}

/** Each part has its own marks, so that a tool result can't pass for a message of the user. */
interface Part {
  readonly label: "user" | "note" | "agent" | "call" | "tool_result"
  readonly tool?: string
  readonly text: string
}

const partsOf = (message: Message): ReadonlyArray<Part> => {
  switch (message.role) {
    case "user":
      return [{ label: "user", text: message.content }]
    case "system":
      return [{ label: "note", text: message.content }]
    case "tool":
      return [{ label: "tool_result", tool: message.name, text: message.content }]
    case "assistant":
      return [
        ...(message.content === "" ? [] : [{ label: "agent" as const, text: message.content }]),
        ...message.tool_calls.map((call): Part => ({ label: "call", tool: call.name, text: call.arguments }))
      ]
  }
}

/** The largest limit for one part with which all fit into `total`. */
const shareOf = (lengths: ReadonlyArray<number>, total: number): number => {
  let left = total
  const ascending = lengths.toSorted((one, other) => one - other)
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (length > share) return share
    left -= length
  }
  return Number.POSITIVE_INFINITY
}

/** The head and the end of a text, as errors are often at the end. */
const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const head = headOf(text, Math.floor(limit * 0.75))
  const tail = text.slice(text.length - Math.floor(limit * 0.25)).replace(/^[\uDC00-\uDFFF]/, "")
  return `${head}\n[${text.length - head.length - tail.length} characters left out]\n${tail}`
}
