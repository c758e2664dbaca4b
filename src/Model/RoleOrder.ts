import { ToolCallId } from "@troupe/domain/Ids"
import type { AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage } from "@troupe/domain/Message"
import { createHash } from "node:crypto"
import { memoized } from "../Runtime/Cache.ts"
import { imageUrlsOf, type SentMessage, type UserMessageWithImages } from "./Model.ts"

/** A message of a conversation in the order of roles that every provider accepts. */
export type OrderedMessage = AssistantMessage | ToolMessage | UserMessage | UserMessageWithImages

export interface OrderRules {
  /** Chat templates accept only the assistant after a tool result, so the user's message follows a line of the assistant. */
  readonly isAssistantAfterTool: boolean
  readonly ids: (message: OrderedMessage) => OrderedMessage
}

/**
 * The conversation in the strictest order that a provider demands: it begins and ends with the user or a tool, user and
 * assistant alternate, each call has its result directly behind it, and no message is empty. Neighbours of one role are
 * merged, and what was said during a call follows its results. Messages that fit stay the same objects, so that their
 * JSON is cached.
 */
export const inRoleOrder = (
  messages: ReadonlyArray<SentMessage>,
  { ids, isAssistantAfterTool }: OrderRules
): ReadonlyArray<OrderedMessage> => {
  const ordered: Array<OrderedMessage> = []
  const add = (given: OrderedMessage) => {
    const message = ids(given)
    const last = ordered.at(-1)
    const merged = last === undefined ? null : mergedOf(last, message)
    if (merged !== null) {
      ordered[ordered.length - 1] = merged
      return
    }
    if (last === undefined && message.role !== "user") ordered.push(beginning)
    if (last?.role === "tool" && message.role === "user" && isAssistantAfterTool) ordered.push(acknowledgement)
    if (last?.role === "assistant" && message.role === "assistant") ordered.push(continuation)
    ordered.push(message)
  }
  for (let at = 0; at < messages.length;) {
    const message = messages[at]
    const next = indexOfAssistant(messages, at + 1)
    if (message?.role === "assistant") {
      const following = messages.slice(at + 1, next)
      const isLast = at === messages.length - 1
      const results = isLast ? [] : message.tool_calls.map((call) => resultOf(call, following))
      if (message.tool_calls.length > 0 || !isBlank(message.content)) add(withoutBlank(message))
      for (const result of results) add(filled(result))
      for (const other of following) if (other.role !== "tool" || !results.includes(other)) add(saidByUser(other))
    } else {
      for (const other of messages.slice(at, next)) add(saidByUser(other))
    }
    at = next
  }
  const last = ordered.at(-1)
  if (last === undefined || last.role === "assistant" && last.tool_calls.length === 0) add(continuation)
  return ordered
}

const indexOfAssistant = (messages: ReadonlyArray<SentMessage>, from: number): number => {
  for (let at = from; at < messages.length; at++) if (messages[at]?.role === "assistant") return at
  return messages.length
}

const isBlank = (text: string): boolean => text.trim() === ""

const beginning: UserMessage = { role: "user", content: "The conversation goes on here." }
const continuation: UserMessage = { role: "user", content: "Continue." }
const acknowledgement: AssistantMessage = { role: "assistant", content: "I have the results.", tool_calls: [] }

/**
 * One message of two neighbours; null where both stay. An answer in pieces continues where it was cut off. What an adapter
 * keeps with an answer is about that answer alone, so answers that have it are not merged.
 */
const mergedOf = (last: OrderedMessage, message: OrderedMessage): OrderedMessage | null => {
  if (last.role === "user" && message.role === "user") {
    const imageUrls = [...imageUrlsOf(last), ...imageUrlsOf(message)]
    const content = `${last.content}\n\n${message.content}`
    return imageUrls.length === 0 ? { role: "user", content } : { role: "user", content, imageUrls }
  }
  if (last.role !== "assistant" || message.role !== "assistant" || last.tool_calls.length > 0) return null
  return last.opaque === undefined && message.opaque === undefined
    ? { ...message, content: `${last.content}${message.content}` }
    : null
}

const resultOf = (call: ToolCall, following: ReadonlyArray<SentMessage>): ToolMessage =>
  following.find((message): message is ToolMessage => message.role === "tool" && message.tool_call_id === call.id)
    ?? missingResult(call)

const missingResult = memoized(({ id, name }: ToolCall): ToolMessage => ({
  role: "tool",
  tool_call_id: id,
  name,
  content: "Error: this call was not carried out."
}))

const noOutput = memoized((message: ToolMessage): ToolMessage => ({ ...message, content: "(no output)" }))

const filled = (message: ToolMessage): ToolMessage => isBlank(message.content) ? noOutput(message) : message

const withoutSpace = memoized((message: AssistantMessage): AssistantMessage => ({ ...message, content: "" }))

const withoutBlank = (message: AssistantMessage): AssistantMessage =>
  message.content !== "" && isBlank(message.content) ? withoutSpace(message) : message

const noteOf = memoized((message: SystemMessage | ToolMessage): UserMessage => ({
  role: "user",
  content: message.role === "system"
    ? `[Note from the system]\n${message.content}`
    : `[Result of an earlier call of ${message.name}]\n${message.content}`
}))

const emptyUser: UserMessage = { role: "user", content: "(no text)" }

const noText = memoized((message: UserMessageWithImages): UserMessageWithImages => ({ ...message, ...emptyUser }))

/** A second system message and a result without its call are refused, so the user says what they hold. */
const saidByUser = (message: SentMessage): OrderedMessage => {
  switch (message.role) {
    case "assistant":
      return message
    case "system":
    case "tool":
      return noteOf(message)
    case "user":
      if (!isBlank(message.content)) return message
      return "imageUrls" in message ? noText(message) : emptyUser
  }
}

/** Ids as they are where they fit, else nine letters and digits that are always the same for the same id. */
export const idsFitting = (pattern: RegExp): OrderRules["ids"] => {
  const fits = (id: string) => pattern.test(id)
  const fitting = (id: ToolCallId) => fits(id) ? id : shortId(id)
  return memoized((message) => {
    switch (message.role) {
      case "user":
        return message
      case "tool":
        return fits(message.tool_call_id)
          ? message
          : { ...message, tool_call_id: fitting(message.tool_call_id) }
      case "assistant":
        return message.tool_calls.every(({ id }) => fits(id))
          ? message
          : { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: fitting(call.id) })) }
    }
  })
}

const shortId = (id: string): ToolCallId =>
  ToolCallId.make(
    createHash("sha256").update(id).digest("base64url").replaceAll(/[^a-zA-Z0-9]/g, "").slice(0, 9)
  )

/** What OpenAI and most others accept. */
export const anyIds = idsFitting(/^.{1,64}$/s)

/** What Anthropic accepts. */
export const wordIds = idsFitting(/^[a-zA-Z0-9_-]{1,64}$/)

/** What Mistral accepts. */
export const shortIds = idsFitting(/^[a-zA-Z0-9]{9}$/)
