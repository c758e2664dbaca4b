import type { AssistantMessage } from "@troupe/domain/Message"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Predicate } from "effect"
import { ChatReply, makeChatAssembly } from "./ChatAssembly.ts"
import { sendableArguments, sendableName } from "./Completion.ts"
import { type Dialect, elementsOnce, encodeBody, listOf, parametersOf, toolList } from "./Dialect.ts"
import { googleSchema } from "./GoogleSchema.ts"
import { imageUrlsOf } from "./Model.ts"
import type { ModelSettings, RemoteProvider } from "./ModelSettings.ts"
import { outputLimitName } from "./Negotiation.ts"
import { refusesReturned, type ReturnedParts, returnedParts } from "./ReturnedParts.ts"
import { anyIds, inRoleOrder, type OrderedMessage, shortIds } from "./RoleOrder.ts"

/** The chat-completions dialect: Google's compatible endpoint, and what local servers speak. */
export const makeChatCompletions = (
  settings: ModelSettings,
  provider: RemoteProvider
): Dialect<ChatReply> => {
  const { model } = provider
  const keptOf: PartsOf = ({ opaque }) => returnedParts(provider, opaque)
  const returning = encoded(keptOf)
  const filling = encoded((message) => withReasoning(keptOf(message)))
  const bare = encoded(() => noParts)
  const toolsOf = toolList((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      parameters: modelProviders[provider._tag].needsPlainSchema ? googleSchema(parametersOf(tool)) : parametersOf(tool)
    }
  }))
  return {
    path: "/chat/completions",
    body: ({ maxOutputTokens, messages, onText, system, temperature = settings.temperature, tools }, may) => {
      const rules = { isAssistantAfterTool: true, ids: may("long_ids") ? anyIds : shortIds }
      const isStreamed = onText !== undefined && may("stream")
      const limitName = outputLimitName(may)
      const variant = !may("returned_parts") ? bare : may("absent_reasoning") ? returning : filling
      const messageOf = may("null_content") ? variant.withNull : variant.withEmpty
      return encodeBody({
        model,
        messages: listOf(
          may("system_role")
            ? [systemMessage(system), ...inRoleOrder(messages, rules).map(messageOf)]
            : inRoleOrder([{ role: "user", content: system }, ...messages], rules).map(messageOf)
        ),
        tools: toolsOf(tools, may),
        temperature: may("temperature") ? temperature : undefined,
        ...(limitName === null ? {} : { [limitName]: maxOutputTokens }),
        stream: isStreamed ? true : undefined,
        stream_options: isStreamed && may("stream_options") ? { include_usage: true } : undefined
      })
    },
    event: ChatReply,
    assembly: (request) => makeChatAssembly(provider, request),
    refused: ({ messages }, complaint) => refusesReturned(provider, messages, complaint) ? "returned_parts" : undefined
  }
}

const systemMessage = (content: string) => content.trim() === "" ? "" : encodeBody({ role: "system", content })

type PartsOf = (message: AssistantMessage) => ReturnedParts

const noParts: ReturnedParts = { fields: {}, calls: [] }

/** For models that want their reasoning with each call: in place of what another model thought, or none. */
const withReasoning = (parts: ReturnedParts): ReturnedParts => ({
  ...parts,
  fields: { reasoning_content: ".", ...parts.fields }
})

/** Messages with these parts, in the two forms of a content that is missing. */
const encoded = (partsOf: PartsOf) => ({
  withNull: elementsOnce((message: OrderedMessage) => [chatMessage(message, partsOf, null)]),
  withEmpty: elementsOnce((message: OrderedMessage) => [chatMessage(message, partsOf, "")])
})

const chatMessage = (message: OrderedMessage, partsOf: PartsOf, noContent: "" | null): object => {
  switch (message.role) {
    case "user":
      return { role: "user", content: contentOf(message) }
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: message.content }
    case "assistant":
      return assistantMessage(message, partsOf(message), noContent)
  }
}

const contentOf = (message: OrderedMessage) => {
  const imageUrls = imageUrlsOf(message)
  return imageUrls.length === 0
    ? message.content
    : [{ type: "text", text: message.content }, ...imageUrls.map((url) => ({ type: "image_url", image_url: { url } }))]
}

const assistantMessage = ({ content, tool_calls }: AssistantMessage, kept: ReturnedParts, noContent: "" | null) => {
  const calls = tool_calls.map((call, index) => {
    const { function: inner, ...fields } = kept.calls[index] ?? {}
    const called = { name: sendableName(call.name), arguments: sendableArguments(call.arguments) }
    return {
      id: call.id,
      type: "function",
      function: Predicate.isRecord(inner) ? { ...called, ...inner } : called,
      ...fields
    }
  })
  return {
    role: "assistant",
    content: kept.content ?? (content === "" && calls.length > 0 ? noContent : content),
    tool_calls: calls.length === 0 ? undefined : calls,
    ...kept.fields
  }
}
