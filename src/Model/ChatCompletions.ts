import type { AssistantMessage } from "@troupe/domain/Message"
import { Predicate } from "effect"
import { ChatReply, makeChatAssembly } from "./ChatAssembly.ts"
import { sendableArguments } from "./Completion.ts"
import { type Dialect, elementsOnce, encodeBody, listOf, noteText, parametersOf, toolList } from "./Dialect.ts"
import { imageUrlsOf, type SentMessage } from "./Model.ts"
import type { ModelSettings, OpenAiCompatible } from "./ModelSettings.ts"
import { refusesReturned, type ReturnedParts, returnedParts } from "./ReturnedParts.ts"

/** The chat-completions dialect: Google's compatible endpoint, and what local servers speak. */
export const makeChatCompletions = (
  { temperature }: ModelSettings,
  provider: OpenAiCompatible
): Dialect<ChatReply> => {
  const { model } = provider
  const partsOf = (message: AssistantMessage) => returnedParts(provider, message.opaque)
  const returning = elementsOnce((message: SentMessage) => [chatMessage(message, partsOf)])
  const filling = elementsOnce((message: SentMessage) => [chatMessage(message, (one) => withReasoning(partsOf(one)))])
  const bare = elementsOnce((message: SentMessage) => [chatMessage(message, () => noParts)])
  return {
    path: "/chat/completions",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) => {
      const messageOf = !may("returnedParts") ? bare : may("absentReasoning") ? returning : filling
      return encodeBody({
        model,
        messages: listOf([systemMessage(system), ...messages.map(messageOf)]),
        tools: toolsOf(tools),
        temperature: may("temperature") ? temperature : undefined,
        max_tokens: maxOutputTokens,
        stream: onText === undefined ? undefined : true,
        stream_options: onText !== undefined && may("streamUsage") ? { include_usage: true } : undefined
      })
    },
    event: ChatReply,
    assembly: (request) => makeChatAssembly(provider, request),
    mayThinkUnopened: provider._tag !== "gemini",
    refused: ({ messages }, refusal) => refusesReturned(provider, messages, refusal) ? "returnedParts" : undefined
  }
}

const toolsOf = toolList((tool) => ({
  type: "function",
  function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) }
}))

const systemMessage = (content: string) => encodeBody({ role: "system", content })

type PartsOf = (message: AssistantMessage) => ReturnedParts

const noParts: ReturnedParts = { fields: {}, calls: [] }

/** For models that want their reasoning with each call: in place of what another model thought, or none. */
const withReasoning = (parts: ReturnedParts): ReturnedParts => ({
  ...parts,
  fields: { reasoning_content: ".", ...parts.fields }
})

const chatMessage = (message: SentMessage, partsOf: PartsOf): object => {
  switch (message.role) {
    case "user":
      return { role: "user", content: contentOf(message) }
    case "system":
      return { role: "user", content: noteText(message.content) }
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: message.content }
    case "assistant":
      return assistantMessage(message, partsOf(message))
  }
}

const contentOf = (message: SentMessage) => {
  const imageUrls = imageUrlsOf(message)
  return imageUrls.length === 0
    ? message.content
    : [{ type: "text", text: message.content }, ...imageUrls.map((url) => ({ type: "image_url", image_url: { url } }))]
}

const assistantMessage = ({ content, tool_calls }: AssistantMessage, kept: ReturnedParts) => {
  const calls = tool_calls.map((call, index) => {
    const { function: inner, ...fields } = kept.calls[index] ?? {}
    const called = { name: call.name, arguments: sendableArguments(call.arguments) }
    return {
      id: call.id,
      type: "function",
      function: Predicate.isRecord(inner) ? { ...called, ...inner } : called,
      ...fields
    }
  })
  return {
    role: "assistant",
    content: kept.content ?? (content === "" && calls.length > 0 ? null : content),
    tool_calls: calls.length === 0 ? undefined : calls,
    ...kept.fields
  }
}
