import type { AssistantMessage } from "@troupe/domain/Message"
import { Schema } from "effect"
import { sendableArguments } from "./Answer.ts"
import { type Dialect, elementsOnce, encodeBody, listOf, parametersOf } from "./Dialect.ts"
import { picturesOf, type SentMessage, type ToolSet } from "./Model.ts"
import type { ModelSettings, OpenAiCompatible } from "./ModelSettings.ts"
import { makeResponseAssembly, readResponse, ResponseEvent, ResponsesOpaque } from "./ResponsesReply.ts"

/** OpenAI's Responses dialect. The provider stores nothing: encrypted reasoning is sent with the conversation. */
export const makeResponses = (
  { temperature }: ModelSettings,
  provider: OpenAiCompatible
): Dialect<typeof ResponseEvent.Type> => {
  const { model } = provider
  const itemsOf = elementsOnce((message: SentMessage) => inputItems(model, message))
  return {
    path: "/responses",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) => {
      const hasTools = tools.tools.length > 0
      return encodeBody({
        model,
        instructions: system,
        input: listOf(messages.map(itemsOf)),
        tools: hasTools ? listOf([toolsOf(tools)]) : undefined,
        parallel_tool_calls: hasTools ? true : undefined,
        store: false,
        temperature: may("temperature") ? temperature : undefined,
        include: may("encryptedReasoning") ? ["reasoning.encrypted_content"] : undefined,
        max_output_tokens: maxOutputTokens,
        stream: onText === undefined ? undefined : true
      })
    },
    read: readResponse(provider),
    event: ResponseEvent,
    assembly: () => makeResponseAssembly(provider)
  }
}

const toolsOf = elementsOnce(({ tools }: ToolSet) =>
  tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool),
    strict: false
  }))
)

const inputItems = (model: string, message: SentMessage): ReadonlyArray<unknown> => {
  switch (message.role) {
    case "user":
    case "system":
      return [{ role: message.role, content: contentOf(message) }]
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }]
    case "assistant":
      return assistantItems(model, message)
  }
}

const contentOf = (message: SentMessage) => {
  const pictures = picturesOf(message)
  return pictures.length === 0
    ? message.content
    : [
      { type: "input_text", text: message.content },
      ...pictures.map((url) => ({ type: "input_image", detail: "auto", image_url: url }))
    ]
}

const isOpaque = Schema.is(ResponsesOpaque)

/** Reasoning goes back to the place it came from: in front of the message, or of the call that it led to. */
const assistantItems = (
  model: string,
  { content, opaque, tool_calls }: AssistantMessage
): ReadonlyArray<unknown> => {
  if (content === "" && tool_calls.length === 0) return []
  const kept = isOpaque(opaque) && opaque.model === model ? opaque.reasoning : []
  const before = (call: number) => kept.filter((one) => one.before === call).map(({ item }) => item)
  return [
    ...before(0),
    ...(content === "" ? [] : [{ role: "assistant", content }]),
    ...tool_calls.flatMap((call, index) => [
      ...(index === 0 ? [] : before(index)),
      { type: "function_call", call_id: call.id, name: call.name, arguments: sendableArguments(call.arguments) }
    ])
  ]
}
