import type { AssistantMessage } from "@troupe/domain/Message"
import { Schema } from "effect"
import { sendableArguments } from "./Answer.ts"
import { ChatEvent, ChatOpaque, makeChatAssembly, readChat } from "./ChatReply.ts"
import { type Dialect, elementsOnce, encodeBody, listOf, parametersOf } from "./Dialect.ts"
import { picturesOf, type SentMessage, type ToolSet } from "./Model.ts"
import type { ModelSettings, OpenAiCompatible } from "./ModelSettings.ts"

/** The chat-completions dialect: Google's compatible endpoint, and what local servers speak. */
export const makeChatCompletions = (
  { temperature }: ModelSettings,
  provider: OpenAiCompatible
): Dialect<typeof ChatEvent.Type> => {
  const { model } = provider
  const messageOf = elementsOnce((message: SentMessage) => [chatMessage(model, message)])
  return {
    path: "/chat/completions",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) =>
      encodeBody({
        model,
        messages: listOf([systemMessage(system), ...messages.map(messageOf)]),
        tools: tools.tools.length === 0 ? undefined : listOf([toolsOf(tools)]),
        temperature: may("temperature") ? temperature : undefined,
        max_tokens: maxOutputTokens,
        stream: onText === undefined ? undefined : true,
        stream_options: onText !== undefined && may("streamUsage") ? { include_usage: true } : undefined
      }),
    read: readChat(provider),
    event: ChatEvent,
    assembly: () => makeChatAssembly(provider)
  }
}

const toolsOf = elementsOnce(({ tools }: ToolSet) =>
  tools.map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) }
  }))
)

const systemMessage = (content: string) => encodeBody({ role: "system", content })

/** Chat templates and Google accept only the first system message, so a later one (a summary) is sent as the user's. */
const chatMessage = (model: string, message: SentMessage): object => {
  switch (message.role) {
    case "user":
      return { role: "user", content: contentOf(message) }
    case "system":
      return { role: "user", content: `[Note from the system]\n${message.content}` }
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: message.content }
    case "assistant":
      return assistantMessage(model, message)
  }
}

const contentOf = (message: SentMessage) => {
  const pictures = picturesOf(message)
  return pictures.length === 0
    ? message.content
    : [{ type: "text", text: message.content }, ...pictures.map((url) => ({ type: "image_url", image_url: { url } }))]
}

const isOpaque = Schema.is(ChatOpaque)

const assistantMessage = (model: string, { content, opaque, tool_calls }: AssistantMessage) => {
  const kept = isOpaque(opaque) && opaque.model === model ? opaque : { message: null, calls: [] }
  const calls = tool_calls.map((call, index) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: sendableArguments(call.arguments) },
    extra_content: kept.calls[index] ?? undefined
  }))
  return {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    tool_calls: calls.length === 0 ? undefined : calls,
    extra_content: kept.message ?? undefined
  }
}
