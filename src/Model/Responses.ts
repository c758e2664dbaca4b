import type { AssistantMessage } from "@troupe/domain/Message"
import { sendableArguments, sendableName } from "./Completion.ts"
import { type Dialect, elementsOnce, encodeBody, listOf, parametersOf, toolList } from "./Dialect.ts"
import { imageUrlsOf } from "./Model.ts"
import type { ModelSettings, RemoteProvider } from "./ModelSettings.ts"
import { keptReasoning, makeResponseAssembly, ResponseEvent } from "./ResponseAssembly.ts"
import { anyIds, inRoleOrder, type OrderedMessage, shortIds } from "./RoleOrder.ts"

/** OpenAI's Responses dialect. The provider stores nothing: encrypted reasoning is sent with the conversation. */
export const makeResponses = (
  settings: ModelSettings,
  provider: RemoteProvider
): Dialect<ResponseEvent> => {
  const { model } = provider
  const itemsOf = elementsOnce((message: OrderedMessage) => inputItems(provider, message))
  return {
    path: "/responses",
    body: ({ maxOutputTokens, messages, onText, system, temperature = settings.temperature, tools }, may) => {
      const rules = { isAssistantAfterTool: true, ids: may("long_ids") ? anyIds : shortIds }
      return encodeBody({
        model,
        instructions: system.trim() === "" ? undefined : system,
        input: listOf(inRoleOrder(messages, rules).map(itemsOf)),
        tools: toolsOf(tools, may),
        parallel_tool_calls: tools.tools.length > 0 && may("parallel_tool_calls") ? true : undefined,
        store: may("store") ? false : undefined,
        temperature: may("temperature") ? temperature : undefined,
        include: may("include") ? ["reasoning.encrypted_content"] : undefined,
        max_output_tokens: may("max_output_tokens") ? maxOutputTokens : undefined,
        stream: onText !== undefined && may("stream") ? true : undefined
      })
    },
    event: ResponseEvent,
    assembly: () => makeResponseAssembly(provider),
    refused: () => undefined
  }
}

const toolsOf = toolList((tool, may) => ({
  type: "function",
  name: tool.name,
  description: tool.description,
  parameters: parametersOf(tool),
  ...(may("strict") ? { strict: false } : {})
}))

const inputItems = (provider: RemoteProvider, message: OrderedMessage): ReadonlyArray<unknown> => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: contentOf(message) }]
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }]
    case "assistant":
      return assistantItems(provider, message)
  }
}

const contentOf = (message: OrderedMessage) => {
  const imageUrls = imageUrlsOf(message)
  return imageUrls.length === 0
    ? message.content
    : [
      { type: "input_text", text: message.content },
      ...imageUrls.map((url) => ({ type: "input_image", detail: "auto", image_url: url }))
    ]
}

/** Reasoning goes back to the place it came from: in front of the message, or of the call that it led to. */
const assistantItems = (
  provider: RemoteProvider,
  { content, opaque, tool_calls }: AssistantMessage
): ReadonlyArray<unknown> => {
  if (content === "" && tool_calls.length === 0) return []
  const kept = keptReasoning(provider, opaque)
  const before = (call: number) => kept.filter((one) => one.before === call).map(({ item }) => item)
  return [
    ...before(0),
    ...(content === "" ? [] : [{ role: "assistant", content }]),
    ...tool_calls.flatMap((call, index) => [
      ...(index === 0 ? [] : before(index)),
      {
        type: "function_call",
        call_id: call.id,
        name: sendableName(call.name),
        arguments: sendableArguments(call.arguments)
      }
    ])
  ]
}
